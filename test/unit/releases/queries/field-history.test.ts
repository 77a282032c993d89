import { expect, test } from "vitest";
import type { Release, ReleaseStatus } from "../../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import {
  findRecordedManifests,
  firstReleaseWithValue,
} from "../../../../src/releases/queries/field-history.ts";
import { release } from "../../../support/plan/release-from.ts";

/** Returns a release whose ConfigMap has this color; undefined for a release without it. */
function colored(revision: number, color: string | undefined, status: ReleaseStatus = "succeeded") {
  const { expandedConfig, ...rest } = release(revision, status, { names: ["settings"] });
  const changed = expandedConfig.map((each) => ({
    ...each,
    object: { ...each.object, data: { color: color ?? "" } },
  }));
  return { ...rest, expandedConfig: color === undefined ? [] : changed } as Release;
}

function firstOf(...releases: readonly Release[]): string {
  const history = createReleaseHistory(releases);
  const [found] = findRecordedManifests(history, () => true);
  if (found === undefined) return "none";
  const first = firstReleaseWithValue(history, found, ["data", "color"]);
  return `${found.release.revision} since ${first.release.revision}${first.isOldest ? " or earlier" : ""}`;
}

test.each([
  ["the only release", [colored(1, "blue")], "1 since 1"],
  ["an unchanged value", [colored(1, "blue"), colored(2, "blue")], "2 since 1"],
  ["pruned releases", [colored(4, "blue"), colored(5, "blue")], "5 since 4 or earlier"],
  ["a changed value", [colored(1, "red"), colored(2, "blue"), colored(3, "blue")], "3 since 2"],
  [
    "a value that returned",
    [colored(1, "blue"), colored(2, "red"), colored(3, "blue")],
    "3 since 3",
  ],
  [
    "an object that was away",
    [colored(1, "blue"), colored(2, undefined), colored(3, "blue")],
    "3 since 3",
  ],
  ["a later failure", [colored(1, "blue"), colored(2, "red", "failed")], "1 since 1"],
  [
    "a failure between",
    [colored(1, "blue"), colored(2, "red", "failed"), colored(3, "blue")],
    "3 since 1",
  ],
  ["a removed object", [colored(1, "blue"), colored(2, undefined)], "1 since 1"],
  ["no release", [], "none"],
])("%s", (_name, releases, expected) => {
  expect(firstOf(...releases)).toBe(expected);
});
