import type { Release } from "../model/deployments/release.ts";
import { createReleaseHistory, type ReleaseHistory } from "../model/deployments/release-history.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { secondsBetween } from "../model/text/times.ts";
import { declareSameObjects } from "./with-other-stage.ts";

/** Returns the release before the last change. Undefined if none exists. */
export function previousRelease({ releases }: ReleaseHistory): Release | undefined {
  const [newest, ...older] = releases;
  if (newest === undefined) return undefined;
  return older.find(
    (release) => release.status === "succeeded" && !declareSameObjects(release, newest),
  );
}

/**
 * A request to restore the previous release, which another program carries out later. In between,
 * other runs can deploy and roll back.
 */
export interface PreviousRequest {
  /** The time of the request in ISO 8601. */
  readonly at: string;
}

/**
 * Returns the previous release, as the author of a request meant it
 * (docs/deploy/roll-back.md#previous-in-a-comment). Undefined if there is none.
 * If a newer release has restored that release, the result is the same. An error prevents the
 * request from undoing a rollback, or a release that its author couldn't know.
 */
export function requestedPrevious(
  history: ReleaseHistory,
  { at }: PreviousRequest,
): Result<Release | undefined> {
  const { newest } = history;
  const target = previousRelease(history);
  if (newest === undefined || target === undefined) return ok(target);
  const isKnown = ({ startedAt }: Release) => secondsBetween(startedAt, at) >= 0;
  if (isKnown(newest))
    return newest.rollbackOf === undefined
      ? ok(target)
      : failed([undoesRollback(newest, newest.rollbackOf, target)]);
  const meant = previousRelease(createReleaseHistory(history.releases.filter(isKnown)));
  return meant !== undefined && declareSameObjects(meant, newest)
    ? ok(meant)
    : failed([newerThanRequest(newest, at, meant)]);
}

function undoesRollback(newest: Release, restored: number, target: Release): Problem {
  return {
    code: "ambiguous-previous",
    where: [],
    what: `Release ${newest.revision} is already a rollback to release ${restored}`,
    why: `The previous release is ${target.revision}, which that rollback replaced or passed over`,
    fix: `Nothing to do if you want release ${restored}`,
    otherwise: [`name the release, to restore release ${target.revision}`],
    inputs: [`revision: ${target.revision}`],
  };
}

function newerThanRequest(newest: Release, at: string, meant: Release | undefined): Problem {
  const named =
    meant === undefined
      ? {}
      : {
          otherwise: [`name the release, to restore release ${meant.revision}`],
          inputs: [`revision: ${meant.revision}`],
        };
  return {
    code: "ambiguous-previous",
    where: [],
    what: `Release ${newest.revision} is newer than the request for a rollback`,
    facts: [
      { label: "requested", value: at },
      { label: "deployed", value: newest.startedAt },
    ],
    fix: "Check whether the rollback is still necessary",
    ...named,
  };
}
