import { expect, test } from "vitest";
import { revisionsToPrune } from "../../src/releases/prune.ts";
import { manifestsOf, selectRelease, selectRunning } from "../../src/releases/select.ts";
import { problemText } from "../plan/declare.ts";
import { release, releasesFrom } from "./release-from.ts";

const history = releasesFrom(
  "1 succeeded declares: a\n2 succeeded declares: b\n3 failed declares: c\n4 succeeded declares: d\n5 failed declares: e",
);
/** What earlier versions recorded of runs that changed nothing. */
const repeated = releasesFrom(
  "1 succeeded declares: a\n2 succeeded declares: b\n3 succeeded declares: b\n4 failed declares: a\n5 succeeded declares: b",
);

test.each([
  ["a number is that release", history, 2, "2"],
  [
    "a release that failed is not taken silently",
    history,
    3,
    "Release 3 failed, so what it declares may never have worked\n  → Take release 4, which succeeded, or this one all the same with --allow-failed",
  ],
  ["previous is the newest succeeded one before the newest", history, "previous", "4"],
  ["previous has other objects than those that run", repeated, "previous", "1"],
  ["previous of a success is the success before it", history.slice(0, 4), "previous", "2"],
  [
    "a number that nobody recorded is a problem",
    history,
    9,
    "There is no release 9\n  → Choose one of 5 (failed), 4 (runs), 3 (failed), 2 (succeeded), 1 (succeeded)",
  ],
  [
    "previous of the first success is a problem",
    history.slice(0, 1),
    "previous",
    "No recorded release that succeeded has other objects than those that run now\n  → Deploy a change first",
  ],
  [
    "where only one that failed was before, it is named with what takes it",
    releasesFrom("1 failed declares: a\n2 succeeded declares: b"),
    "previous",
    "No recorded release that succeeded has other objects than those that run now\n  → Deploy a change first, or take release 1, which failed, all the same with --to 1 --allow-failed",
  ],
  [
    "of those that failed before, only what differs from what runs leads anywhere",
    releasesFrom(
      "1 failed declares: a\n2 failed declares: b\n3 failed declares: c\n4 succeeded declares: b",
    ),
    "previous",
    "No recorded release that succeeded has other objects than those that run now\n  → Deploy a change first, or take one of 3 (failed), 1 (failed) all the same with --allow-failed and --to its number",
  ],
  [
    "where all declare the same, there is nothing to choose",
    releasesFrom("1 failed declares: a\n2 succeeded declares: a"),
    "previous",
    "No recorded release that succeeded has other objects than those that run now\n  → Deploy a change first",
  ],
  [
    "without records there is no previous one",
    [],
    "previous",
    "No recorded release that succeeded has other objects than those that run now\n  → Deploy first: nothing is recorded yet",
  ],
  [
    "without records nothing can be chosen",
    [],
    1,
    "There is no release 1\n  → Deploy first: nothing is recorded yet",
  ],
] as const)("%s", (_name, releases, to, expected) => {
  const selected = selectRelease(releases, { to, allowFailed: false });
  expect(selected.ok ? String(selected.value.revision) : problemText(selected.problems)).toBe(
    expected,
  );
});

test.each([
  ["that is under way", 3, "3 (under way)"],
  ["that never ended", undefined, "3 (never ended)"],
] as const)("a release %s is named as qvs releases names it", (_, underWay, expected) => {
  const releases = releasesFrom("1 succeeded\n2 failed\n3 pending").map((each) =>
    each.revision === 2 ? { ...each, cancelled: true as const } : each,
  );
  const selected = selectRelease(releases, { to: 9, allowFailed: false }, underWay);
  expect(selected.ok ? "" : problemText(selected.problems)).toBe(
    `There is no release 9\n  → Choose one of ${expected}, 2 (cancelled), 1 (runs)`,
  );
});

test.each([
  [
    3,
    "Release 3 of shop is under way, so what should be there is not certain\n  → Wait until it has ended",
  ],
  [
    undefined,
    "Release 3 of shop never ended, so what should be there is not certain\n  → Deploy it again, or go back: qvs rollback --deployment shop --namespace shop --to 1",
  ],
] as const)("what runs is not certain while release %s is at work", (underWay, expected) => {
  const releases = releasesFrom("1 succeeded declares: a\n3 pending declares: b");
  const running = selectRunning(releases, { name: "shop", namespace: "shop" }, underWay);
  expect(running.ok ? "" : problemText(running.problems)).toBe(expected);
});

test("a release that failed is taken when that is said", () => {
  const selected = selectRelease(history, { to: 3, allowFailed: true });
  expect(selected.ok && selected.value.revision).toBe(3);
});

test("a recorded release is planned like a compilation", () => {
  expect(manifestsOf(release(1, "succeeded", { names: ["a"] }))).toEqual([
    {
      type: "manifest",
      stage: "app",
      id: "a",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } },
      dependsOn: [],
      settled: true,
    },
  ]);
});

const many = releasesFrom(
  "1 succeeded declares: even older\n2 succeeded declares: old\n3 succeeded\n4 failed\n5 failed\n6 pending\n7 failed",
);

test.each([
  ["the newest ones stay", [], 7, []],
  ["the newest succeeded one stays, however old", [], 2, [1, 2, 4, 5]],
  ["the release that a kept object came from stays", ["core:ConfigMap::shop/old"], 2, [1, 4, 5]],
])("%s", (_name, kept, keep, expected) => {
  expect(revisionsToPrune(many, kept, keep)).toEqual(expected);
});

test("ten are kept by default", () => {
  const releases = Array.from({ length: 12 }, (_, index) =>
    release(index + 1, "succeeded", { names: [`v${index}`] }),
  );
  expect(revisionsToPrune(releases, [])).toEqual([1, 2]);
});

test("what earlier versions recorded of runs that changed nothing counts once, and pushes nothing out", () => {
  const runs = Array.from({ length: 12 }, (_, index) =>
    release(index + 2, "succeeded", { names: ["b"] }),
  );
  const releases = [release(1, "succeeded", { names: ["a"] }), ...runs];
  expect(revisionsToPrune(releases, [])).toEqual([2, 3]);
});
