import { expect, test } from "vitest";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { revisionsToPrune } from "../../../src/releases/prune.ts";
import { releaseManifests, selectCurrent, selectRelease } from "../../../src/releases/select.ts";
import { problemText } from "../../support/plan/declare.ts";
import { release, releasesFrom } from "../../support/plan/release-from.ts";

const history = releasesFrom(
  "1 succeeded declares: a\n2 succeeded declares: b\n3 failed declares: c\n4 succeeded declares: d\n5 failed declares: e",
);
/** Records of unchanged runs, as earlier versions wrote them. */
const repeated = releasesFrom(
  "1 succeeded declares: a\n2 succeeded declares: b\n3 succeeded declares: b\n4 failed declares: a\n5 succeeded declares: b",
);

test.each([
  ["a number is that release", history, 2, "2"],
  [
    "a failed release isn't selected without a flag",
    history,
    3,
    "Release 3 failed\n  why: Its manifests might never have worked\n  → Choose release 4, which succeeded\n    or choose release 3 anyway with --allow-failed",
  ],
  ["previous is the newest successful one before the newest", history, "previous", "4"],
  ["previous has other objects than the current release", repeated, "previous", "1"],
  ["previous of a success is the success before it", history.slice(0, 4), "previous", "2"],
  [
    "an unrecorded number is an error",
    history,
    9,
    "Release 9 doesn't exist\n  recorded: 5 (failed), 4 (current), 3 (failed), 2 (succeeded), 1 (succeeded)\n  → Choose one of the recorded releases",
  ],
  [
    "previous of the first success is a problem",
    history.slice(0, 1),
    "previous",
    "No previous release exists\n  why: No recorded release that succeeded has other objects than the newest release\n  → Deploy a change first",
  ],
  [
    "if all earlier ones failed, the error names one and its flag",
    releasesFrom("1 failed declares: a\n2 succeeded declares: b"),
    "previous",
    "No previous release exists\n  why: No recorded release that succeeded has other objects than the newest release\n  → Deploy a change first\n    or choose release 1, which failed, with --to 1 --allow-failed",
  ],
  [
    "a failed release is a target only if it differs from the current one",
    releasesFrom(
      "1 failed declares: a\n2 failed declares: b\n3 failed declares: c\n4 succeeded declares: b",
    ),
    "previous",
    "No previous release exists\n  why: No recorded release that succeeded has other objects than the newest release\n  → Deploy a change first\n    or choose one of 3 (failed), 1 (failed) with --to NUMBER --allow-failed",
  ],
  [
    "if all declare the same, there is no target",
    releasesFrom("1 failed declares: a\n2 succeeded declares: a"),
    "previous",
    "No previous release exists\n  why: No recorded release that succeeded has other objects than the newest release\n  → Deploy a change first",
  ],
  [
    "without records, there is no previous one",
    [],
    "previous",
    "No previous release exists\n  why: No release is recorded yet\n  → Deploy first",
  ],
  [
    "without records, no release can be selected",
    [],
    1,
    "Release 1 doesn't exist\n  why: No release is recorded yet\n  → Deploy first",
  ],
] as const)("%s", (_name, releases, to, expected) => {
  const selected = selectRelease(createReleaseHistory(releases), { to, allowFailed: false });
  expect(selected.ok ? String(selected.value.revision) : problemText(selected.problems)).toBe(
    expected,
  );
});

test.each([
  [true, "1"],
  [false, "2"],
])("previous doesn't undo the same rollback: %s", (isSame, expected) => {
  const [first, second] = releasesFrom("1 succeeded declares: a\n2 succeeded declares: b");
  const begun = { ...release(3, "failed", { names: ["a"] }), rollbackOf: 1 };
  const releases = [first, second, begun].filter((each) => each !== undefined);
  const choice = { to: "previous", allowFailed: false, isSameRollback: () => isSame } as const;
  const selected = selectRelease(createReleaseHistory(releases), choice);
  expect(selected.ok && String(selected.value.revision)).toBe(expected);
});

test.each([
  ["in progress", 3, "3 (under way)"],
  ["that never ended", undefined, "3 (never ended)"],
] as const)("a release %s has the name that qvs releases shows", (_, underWay, expected) => {
  const releases = releasesFrom("1 succeeded\n2 failed\n3 pending").map((each) =>
    each.revision === 2 ? { ...each, cancelled: true as const } : each,
  );
  const selected = selectRelease(
    createReleaseHistory(releases),
    { to: 9, allowFailed: false },
    underWay,
  );
  expect(selected.ok ? "" : problemText(selected.problems)).toBe(
    `Release 9 doesn't exist\n  recorded: ${expected}, 2 (canceled), 1 (current)\n  → Choose one of the recorded releases`,
  );
});

test.each([
  [
    3,
    "Release 3 of shop is under way\n  why: Its objects might exist or not, so the desired state isn't certain\n  → Wait until it has ended",
  ],
  [
    undefined,
    "Release 3 of shop never ended\n  why: Its objects might exist or not, so the desired state isn't certain\n  → Deploy it again\n    or roll back: qvs rollback --deployment shop --namespace shop --to 1",
  ],
] as const)(
  "the current release is uncertain while release %s is in progress",
  (underWay, expected) => {
    const releases = releasesFrom("1 succeeded declares: a\n3 pending declares: b");
    const running = selectCurrent(
      createReleaseHistory(releases),
      { name: "shop", namespace: "shop" },
      underWay,
    );
    expect(running.ok ? "" : problemText(running.problems)).toBe(expected);
  },
);

test("a failed release can be selected with a flag", () => {
  const selected = selectRelease(createReleaseHistory(history), { to: 3, allowFailed: true });
  expect(selected.ok && selected.value.revision).toBe(3);
});

test("a recorded release is planned like a compilation", () => {
  expect(releaseManifests(release(1, "succeeded", { names: ["a"] }))).toEqual([
    {
      type: "manifest",
      stage: "app",
      id: "a",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } },
      dependsOn: [],
      isLiteral: true,
    },
  ]);
});

const many = releasesFrom(
  "1 succeeded declares: even older\n2 succeeded declares: old\n3 succeeded\n4 failed\n5 failed\n6 pending\n7 failed",
);

test.each([
  ["the newest ones stay", [], 7, []],
  ["the newest successful one stays, at any age", [], 2, [1, 2, 4, 5]],
  ["the release that contains a kept object stays", ["core:ConfigMap::shop/old"], 2, [1, 4, 5]],
])("%s", (_name, kept, keep, expected) => {
  expect(revisionsToPrune(createReleaseHistory(many), kept, keep)).toEqual(expected);
});

test("ten releases are kept by default", () => {
  const releases = Array.from({ length: 12 }, (_, index) =>
    release(index + 1, "succeeded", { names: [`v${index}`] }),
  );
  expect(revisionsToPrune(createReleaseHistory(releases), [])).toEqual([1, 2]);
});

test("unchanged runs in records of earlier versions count once and don't displace releases", () => {
  const runs = Array.from({ length: 12 }, (_, index) =>
    release(index + 2, "succeeded", { names: ["b"] }),
  );
  const releases = [release(1, "succeeded", { names: ["a"] }), ...runs];
  expect(revisionsToPrune(createReleaseHistory(releases), [])).toEqual([2, 3]);
});
