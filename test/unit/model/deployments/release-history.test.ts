import { describe, expect, test } from "vitest";
import {
  createReleaseHistory,
  releasesSince,
} from "../../../../src/model/deployments/release-history.ts";
import { releasesFrom } from "../../../support/plan/release-from.ts";

const numbers = (releases: readonly { readonly revision: number }[]) =>
  releases.map(({ revision }) => revision).join(" ");

describe("a history", () => {
  test.each([
    ["has no current release if none succeeded", "1 failed\n2 pending", "2, none, 2 1"],
    ["can end with a failure", "1 succeeded\n2 succeeded\n3 failed", "3, 2, 3 2"],
    ["can end with its current release", "1 succeeded\n2 failed\n3 succeeded", "3, 3, 3"],
    ["is sorted by number", "3 succeeded\n10 failed\n2 succeeded", "10, 3, 10 3"],
  ])("%s", (_, lines, expected) => {
    const { newest, current, possiblyLive } = createReleaseHistory(releasesFrom(lines));
    const found = [newest?.revision, current?.revision ?? "none", numbers(possiblyLive)];
    expect(found.join(", ")).toBe(expected);
  });

  test("lists the releases after a number, newest first", () => {
    const history = createReleaseHistory(releasesFrom("1 succeeded\n4 failed\n3 succeeded"));
    expect(numbers(releasesSince(history, 1))).toBe("4 3");
  });
});
