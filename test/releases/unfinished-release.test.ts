import { expect, test } from "vitest";
import type { KnownLock } from "../../src/model/cluster/lock-state.ts";
import type { Release } from "../../src/model/release.ts";
import { type NextPlan, unfinishedRelease } from "../../src/releases/unfinished-release.ts";
import { shopRelease } from "../support/shop-report.ts";

const failedAt = (...names: readonly string[]): Partial<Release> => ({
  status: "failed",
  results: names.map((name) => {
    return {
      key: `apps:Deployment::shop/${name}`,
      action: "update",
      outcome: "failed",
      detail: "",
    };
  }),
});

test.each<[string, readonly Partial<Release>[], string | undefined]>([
  ["succeeded", [{ revision: 7 }], undefined],
  ["failed and was followed by one that succeeded", [{ revision: 8 }, failedAt("web")], undefined],
  [
    "failed",
    [{ revision: 7 }, { revision: 8, ...failedAt("web") }],
    "Release 8 failed at Deployment shop/web; the last that succeeded is 7",
  ],
  [
    "failed at many objects",
    [{ revision: 1, ...failedAt("a", "b", "c", "d", "e") }],
    "Release 1 failed at Deployment shop/a, Deployment shop/b, Deployment shop/c and 2 more; no release has succeeded",
  ],
  [
    "gave way",
    [{ revision: 9, status: "failed", superseded: { by: "run 2", at: "" } as never }],
    "Release 9 gave way to a newer run before it was done; no release has succeeded",
  ],
  [
    "was killed",
    [{ revision: 7 }, { revision: 9, status: "pending" }],
    "Release 9 has not ended: begun 2026-11-15T10:00:00Z, it still runs, or was killed before it could say how it ended; the last that succeeded is 7",
  ],
  [
    "was cancelled",
    [{ revision: 9, ...failedAt("web"), cancelled: true }],
    "Release 9 was cancelled before it was done; no release has succeeded",
  ],
  ["does not exist", [], undefined],
])("of a release that %s", (_, releases, expected) => {
  const all = releases.map((changes) => shopRelease([], changes));
  const [told] = unfinishedRelease(all, "deploys changes");
  expect(told?.what).toBe(expected);
});

test.each<[NextPlan, Release["status"], string | undefined]>([
  ["deploys changes", "failed", "what it did not get done is part of this plan"],
  ["deploys the same", "failed", "nothing is left to be changed, and the next deployment waits"],
  ["goes back or deletes", "failed", undefined],
  ["goes back or deletes", "pending", "If it still runs, wait until it has ended"],
])("whoever %s learns of a release that is %s", (next, status, expected) => {
  const [told] = unfinishedRelease([shopRelease([], { status })], next);
  if (expected === undefined) expect(told).toBeUndefined();
  else expect(told?.fix).toContain(expected);
});

const holder = "https://github.com/acme/shop/actions/runs/7";
const run = { holder, since: "2026-11-26T14:40:07.123456Z", isAlive: true };

test.each<[string, KnownLock, string, string]>([
  [
    "is alive",
    run,
    `Release 9 is under way: ${holder} has held the lock since 2026-11-26T14:40:07Z; no release has succeeded`,
    "Wait until it has ended",
  ],
  [
    "is dead",
    { ...run, isAlive: false },
    "Release 9 never ended: begun 2026-11-15T10:00:00Z (run 8, by alice), it was killed before it could say how it ended; no release has succeeded",
    "Find out why",
  ],
  [
    "has gone",
    "nobody",
    "Release 9 never ended: begun 2026-11-15T10:00:00Z (run 8, by alice), it was killed before it could say how it ended; no release has succeeded",
    "Find out why",
  ],
])("of a release that has not ended, whose holder of the lock %s", (_, lock, what, fix) => {
  const pending = shopRelease([], { revision: 9, status: "pending" });
  const source = { ...pending.source, run: "run 8", actor: "alice" };
  const [told] = unfinishedRelease([{ ...pending, source }], "deploys changes", lock);
  expect(told?.what).toBe(what);
  expect(told?.fix).toContain(fix);
});

test("whoever has cancelled a run knows why", () => {
  const cancelled = shopRelease([], { revision: 9, status: "failed", cancelled: true });
  const [told] = unfinishedRelease([cancelled], "deploys changes");
  expect(told?.fix).toBe("What it did not get done is part of this plan");
});
