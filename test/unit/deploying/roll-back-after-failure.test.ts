import { expect, test } from "vitest";
import type { DeployOutcome } from "../../../src/deploying/deploy-outcome.ts";
import { rollBackAfterFailure } from "../../../src/deploying/roll-back-after-failure.ts";
import type { DeployContext } from "../../../src/deploying/with-lock.ts";
import { release } from "../../support/plan/release-from.ts";

/** Returns true if a run with this outcome tries to roll back, that is, requests the releases. */
async function triesToGoBack(
  outcome: object,
  signals: Partial<Record<"lost" | "asked" | "cancelled", boolean>> = {},
): Promise<boolean> {
  const signal = (aborted = false) =>
    aborted ? AbortSignal.abort() : new AbortController().signal;
  let hasListed = false;
  const list = async () => {
    hasListed = true;
    return { ok: true, value: { items: [], resourceVersion: "1" } };
  };
  const cluster = { list, listMetadata: list };
  const deployment = { name: "shop", namespace: "shop" };
  const lock = { cluster, lost: signal(signals.lost), yieldRequested: signal(signals.asked) };
  const context = { lock, deployment, request: {} } as unknown as DeployContext;
  const world = { signal: signal(signals.cancelled) } as never;
  const after = await rollBackAfterFailure(world, context, outcome as DeployOutcome);
  const refused = "wentBack" in after && after.wentBack?.type === "refused";
  expect(refused).toBe(hasListed);
  return hasListed;
}

const failed = {
  type: "deployed",
  isNewRelease: true,
  release: release(2, "failed"),
  result: { succeeded: false, stopped: undefined, results: [] },
};

test.each([
  ["one that failed by itself", failed, {}, true],
  ["one that succeeded", { ...failed, release: release(2, "succeeded") }, {}, false],
  ["one that was late", { type: "superseded" }, {}, false],
  ["one without a recorded end", { ...failed, release: release(2, "pending") }, {}, false],
  ["one that changed nothing", { ...failed, isNewRelease: false }, {}, false],
  ["one that was superseded", { ...failed, superseded: { by: "run 7" } }, {}, false],
  ["one that was canceled", { ...failed, result: { stopped: "cancelled" } }, {}, false],
  ["one that lost its lock", { ...failed, result: { stopped: "lock lost" } }, {}, false],
  ["one that is canceled now", failed, { cancelled: true }, false],
  ["one that loses its lock now", failed, { lost: true }, false],
  ["one that a newer run asks to yield", failed, { asked: true }, false],
])("a run is rolled back only after its own failure: %s", async (_, outcome, signals, expected) => {
  expect(await triesToGoBack(outcome, signals)).toBe(expected);
});
