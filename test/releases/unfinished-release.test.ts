import { expect, test } from "vitest";
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
    "Release 9 has not ended: it still runs, or was stopped before it could say how it ended; the last that succeeded is 7",
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
