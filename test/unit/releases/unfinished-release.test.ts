import { expect, test } from "vitest";
import type { LockStatus } from "../../../src/model/cluster/deployment-lock.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { type NextPlan, unfinishedRelease } from "../../../src/releases/unfinished-release.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { shopRelease } from "../../support/shop/shop-report.ts";

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
    "Release 8 failed\n  failed at: Deployment shop/web\n  last success: release 7",
  ],
  [
    "failed at many objects",
    [{ revision: 1, ...failedAt("a", "b", "c", "d", "e") }],
    "Release 1 failed\n  failed at: Deployment shop/a, Deployment shop/b, Deployment shop/c and 2 more\n  last success: none",
  ],
  [
    "was superseded",
    [{ revision: 9, status: "failed", superseded: { by: "run 2", at: "" } as never }],
    "Release 9 was superseded by a newer run before it was done\n  last success: none",
  ],
  [
    "was killed",
    [{ revision: 7 }, { revision: 9, status: "pending" }],
    "Release 9 hasn't ended\n  started: 2026-11-15T10:00:00Z\n  last success: release 7\n  why: It still runs, or it was killed before it could record its end.",
  ],
  [
    "was canceled",
    [{ revision: 9, ...failedAt("web"), cancelled: true }],
    "Release 9 was canceled before it was done\n  last success: none",
  ],
  ["does not exist", [], undefined],
])("the notice about a release that %s", (_, releases, expected) => {
  const all = releases.map((changes) => shopRelease([], changes));
  const [notice] = unfinishedRelease(createReleaseHistory(all), "deploys changes");
  if (notice === undefined || expected === undefined) expect(notice).toBe(expected);
  else expect(describeProblem(notice)).toContain(expected);
});

test.each<[NextPlan, Release["status"], string | undefined]>([
  ["deploys changes", "failed", "This plan includes the work that it didn't finish"],
  ["deploys the same", "failed", "Nothing is left to change, and the next deployment waits"],
  ["goes back or deletes", "failed", undefined],
  ["goes back or deletes", "pending", "Wait until it has ended if it still runs"],
])("a run that %s gets a notice about a release that is %s", (next, status, expected) => {
  const [notice] = unfinishedRelease(createReleaseHistory([shopRelease([], { status })]), next);
  if (notice === undefined || expected === undefined) expect(notice).toBe(expected);
  else expect(describeProblem(notice)).toContain(expected);
});

const holder = "https://github.com/acme/shop/actions/runs/7";
const run = { holder, since: "2026-11-26T14:40:07.123456Z", isAlive: true };

test.each<[string, LockStatus, string, string]>([
  [
    "is alive",
    run,
    `Release 9 is under way\n  lock: ${holder} has held the lock since 2026-11-26T14:40:07Z\n  last success: none`,
    "Wait until it has ended",
  ],
  [
    "is dead",
    { ...run, isAlive: false },
    "Release 9 never ended\n  started: 2026-11-15T10:00:00Z (run 8, by alice)\n  last success: none\n  why: It was killed before it could record its end.",
    "Find out why",
  ],
  [
    "no longer exists",
    "free",
    "Release 9 never ended\n  started: 2026-11-15T10:00:00Z (run 8, by alice)\n  last success: none\n  why: It was killed before it could record its end.",
    "Find out why",
  ],
])("the notice about an unfinished release whose lock holder %s", (_, lock, what, fix) => {
  const pending = shopRelease([], { revision: 9, status: "pending" });
  const source = { ...pending.source, run: "run 8", actor: "alice" };
  const [notice] = unfinishedRelease(
    createReleaseHistory([{ ...pending, source }]),
    "deploys changes",
    lock,
  );
  const text = notice === undefined ? "" : describeProblem(notice);
  expect(text).toContain(what);
  expect(text).toContain(`→ ${fix}`);
});

test("the notice after a canceled run needs no action", () => {
  const cancelled = shopRelease([], { revision: 9, status: "failed", cancelled: true });
  const [notice] = unfinishedRelease(createReleaseHistory([cancelled]), "deploys changes");
  expect(notice?.fix).toBe("Nothing to do: this plan includes the work that it didn't finish");
});
