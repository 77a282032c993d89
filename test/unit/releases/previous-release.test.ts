import { expect, test } from "vitest";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { selectRelease } from "../../../src/releases/select.ts";
import { problemText } from "../../support/plan/declare.ts";
import { releasesFrom } from "../../support/plan/release-from.ts";

/** Release N starts at minute N after 10:00. */
function history(lines: string, rollbacks: Readonly<Record<number, number>> = {}) {
  const releases = releasesFrom(lines).map(
    (each): Release => ({
      ...each,
      startedAt: `2026-03-01T10:0${each.revision}:00.000Z`,
      rollbackOf: rollbacks[each.revision],
    }),
  );
  return createReleaseHistory(releases);
}

const good = "1 succeeded declares: a\n2 succeeded declares: b";
const bad = `${good}\n3 succeeded declares: c`;
const rolledBack = history(`${bad}\n4 succeeded declares: b`, { 4: 2 });
const already = (revision: number, restored: number, previous: number) =>
  `Release ${revision} is already a rollback to release ${restored}\n  why: The previous release is ${previous}, which that rollback replaced or passed over\n  → Nothing to do if you want release ${restored}\n    or name the release, to restore release ${previous}`;

test.each([
  ["before a rollback, it is the release before the last change", history(bad), "10:09:00", "2"],
  ["the time doesn't matter without a newer release", history(bad), "10:03:30", "2"],
  ["a release that runs at the time of the request is known", history(bad), "10:03:00", "2"],
  [
    "the same rollback in between leaves nothing to do: it stays the target",
    rolledBack,
    "10:03:30",
    "2",
  ],
  [
    "a failed attempt of the same rollback is repeated",
    history(`${bad}\n4 failed declares: b`, { 4: 2 }),
    "10:03:30",
    "2",
  ],
  ["a later request doesn't undo the rollback", rolledBack, "10:04:30", already(4, 2, 3)],
  [
    "after a rollback that followed a failure, the error names the release before it",
    history(`${bad}\n4 failed declares: d\n5 succeeded declares: c`, { 5: 3 }),
    "10:06:00",
    already(5, 3, 2),
  ],
  [
    "a fix in between isn't rolled back",
    history(`${bad}\n4 succeeded declares: d`),
    "10:03:30",
    "Release 4 is newer than the request for a rollback\n  requested: 2026-03-01T10:03:30Z\n  deployed: 2026-03-01T10:04:00.000Z\n  → Check whether the rollback is still necessary\n    or name the release, to restore release 2",
  ],
  [
    "another rollback in between isn't undone",
    history(`${bad}\n4 succeeded declares: a`, { 4: 1 }),
    "10:03:30",
    "Release 4 is newer than the request for a rollback\n  requested: 2026-03-01T10:03:30Z\n  deployed: 2026-03-01T10:04:00.000Z\n  → Check whether the rollback is still necessary\n    or name the release, to restore release 2",
  ],
  [
    "a request from before the recorded releases means none of them",
    history(bad),
    "09:00:00",
    "Release 3 is newer than the request for a rollback\n  requested: 2026-03-01T09:00:00Z\n  deployed: 2026-03-01T10:03:00.000Z\n  → Check whether the rollback is still necessary",
  ],
  [
    "the first release has no previous one",
    history("1 succeeded declares: a"),
    "10:03:30",
    "No previous release exists\n  why: No recorded release that succeeded has other objects than the newest release\n  → Deploy a change first",
  ],
])("previous by request: %s", (_, releases, time, expected) => {
  const at = `2026-03-01T${time}Z`;
  const selected = selectRelease(releases, {
    ...{ to: "previous", requested: { at }, allowFailed: false },
  });
  expect(selected.ok ? String(selected.value.revision) : problemText(selected.problems)).toBe(
    expected,
  );
});

test("previous without a time undoes a rollback", () => {
  const selected = selectRelease(rolledBack, { to: "previous", allowFailed: false });
  expect(selected.ok && selected.value.revision).toBe(3);
});

test("another attempt of the same run keeps its target, whatever the time", () => {
  const selected = selectRelease(rolledBack, {
    ...{ to: "previous", requested: { at: "2026-03-01T10:09:00Z" }, allowFailed: false },
    isSameRollback: () => true,
  });
  expect(selected.ok && selected.value.revision).toBe(2);
});
