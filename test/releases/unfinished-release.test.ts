import { expect, test } from "vitest";
import type { Release } from "../../src/model/release.ts";
import { unfinishedRelease } from "../../src/releases/unfinished-release.ts";
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
  const [told] = unfinishedRelease(releases.map((changes) => shopRelease([], changes)));
  expect(told?.what).toBe(expected);
});
