import type { Deployment } from "../model/deployments/deployment.ts";
import type { ReleaseSummary } from "../model/deployments/deployment-state.ts";
import type { Release } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { Manifest } from "../model/sources/compilation.ts";
import { rollbackCommand } from "../model/text/qvs-commands.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { formatAge } from "../model/text/times.ts";
import { commitName, deployedCommit } from "./current-release.ts";
import { type PreviousRequest, previousRelease, requestedPrevious } from "./previous-release.ts";
import { declareSameObjects } from "./with-other-stage.ts";

/**
 * Returns the status of a release, the same word in every list and message.
 * `isUnderWay` is true if a run holds the deployment lock, so that a pending release is its work.
 */
export function releaseStatus(
  { status, superseded, cancelled }: Release,
  isUnderWay = false,
): ReleaseSummary["status"] {
  if (status === "pending") return isUnderWay ? "under way" : "never ended";
  if (superseded !== undefined) return "superseded";
  return cancelled === true ? "cancelled" : status;
}

/**
 * Describes a rollback target: `release 1 (1a2b3c4d5e6f, deployed 3 days ago)`.
 * `now` is ISO 8601.
 */
export function rollbackTargetText(release: Release, now: string): string {
  const commit = release.source.commit === undefined ? [] : [commitName(deployedCommit(release))];
  const ended = release.finishedAt ?? release.startedAt;
  const details = [...commit, `deployed ${formatAge(ended, now) ?? `at ${ended}`}`];
  return `release ${release.revision} (${details.join(", ")})`;
}

export interface ReleaseChoice {
  readonly to: number | "previous";
  /** Set if a user who doesn't see the run requested `previous`. */
  readonly requested?: PreviousRequest | undefined;
  /** True to also accept a failed or unfinished release, if it is requested by number. */
  readonly allowFailed: boolean;
  /**
   * Reports whether the newest release is the requested rollback itself. `previous` then stays the
   * target of that rollback, which it would otherwise undo.
   */
  readonly isSameRollback?: ((newest: Release) => boolean) | undefined;
}

/**
 * Selects the target of `rollback --to` (docs/concepts/releases.md#rollback).
 * It is a revision, or the newest succeeded release whose objects differ from the newest release.
 * `underWay` is the release that another run is working on.
 */
export function selectRelease(
  history: ReleaseHistory,
  { to, requested, allowFailed, isSameRollback }: ReleaseChoice,
  activeRevision?: number,
): Result<Release> {
  if (to === "previous") {
    const { newest } = history;
    const begun = newest?.rollbackOf;
    if (newest !== undefined && begun !== undefined && isSameRollback?.(newest) === true)
      return selectRelease(history, { to: begun, allowFailed }, activeRevision);
    const found =
      requested === undefined
        ? ok(previousRelease(history))
        : requestedPrevious(history, requested);
    if (!found.ok) return found;
    return found.value === undefined ? failed([noPreviousProblem(history)]) : ok(found.value);
  }
  const found = history.releases.find((release) => release.revision === to);
  if (found === undefined) return failed([unknownReleaseProblem(to, history, activeRevision)]);
  if (found.status !== "succeeded" && !allowFailed)
    return failed([notSucceededProblem(found, history, activeRevision)]);
  return ok(found);
}

/**
 * Selects the current release, which must be the newest one.
 * The objects of a newest release that didn't succeed might exist or not.
 */
export function selectCurrent(
  history: ReleaseHistory,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  activeRevision?: number,
): Result<Release> {
  const { newest } = history;
  if (newest === undefined) return failed([neverDeployedProblem({ name, namespace })]);
  if (newest.status === "succeeded") return ok(newest);
  const problem = {
    code: "release-not-succeeded",
    what: `Release ${newest.revision} of ${name} ${endDescription(newest, activeRevision)}`,
    why: "Its objects might exist or not, so the desired state isn't certain",
    where: [],
  } as const;
  if (newest.revision === activeRevision)
    return failed([{ ...problem, fix: "Wait until it has ended" }]);
  const previous = previousRelease(history);
  const place = { name, namespace, context: undefined };
  const rollbackAdvice =
    previous === undefined ? [] : [`roll back: ${rollbackCommand(place, previous.revision)}`];
  return failed([{ ...problem, fix: "Deploy it again", otherwise: rollbackAdvice }]);
}

/** Returns the problem that no release is recorded, for a rollback or a comparison. */
export function neverDeployedProblem({
  name,
  namespace,
}: Pick<Deployment, "name" | "namespace">): Problem {
  return {
    code: "release-not-found",
    what: `"${name}" has never been deployed`,
    why: `No release of it is recorded in namespace ${namespace}`,
    fix: "Deploy it first",
    otherwise: [
      "choose another namespace with --namespace",
      "choose another cluster with --context",
    ],
    where: [],
  };
}

function noPreviousProblem(history: ReleaseHistory): Problem {
  return {
    code: "release-not-found",
    what: "No previous release exists",
    where: [],
    ...previousAdvice(history),
  };
}

/**
 * Suggests a fix if no previous release exists.
 * Other succeeded releases have the same objects, and other releases are accepted only by number.
 */
function previousAdvice({ releases }: ReleaseHistory): ReleaseAdvice {
  const [newest, ...older] = releases;
  if (newest === undefined) return nothingRecorded;
  const why = "No recorded release that succeeded has other objects than the newest release";
  const fix = "Deploy a change first";
  const others = older.filter((release) => !declareSameObjects(release, newest));
  const [other, ...more] = others;
  if (other === undefined) return { why, fix };
  const which =
    more.length === 0
      ? `choose release ${other.revision}, which ${endDescription(other, undefined)}, with --to ${other.revision} --allow-failed`
      : `choose one of ${describeReleases(others, undefined, undefined)} with --to NUMBER --allow-failed`;
  return { why, fix, otherwise: [which] };
}

type ReleaseAdvice = Pick<Problem, "facts" | "why" | "fix" | "otherwise">;

const nothingRecorded: ReleaseAdvice = { why: "No release is recorded yet", fix: "Deploy first" };

function unknownReleaseProblem(
  to: number,
  history: ReleaseHistory,
  activeRevision: number | undefined,
): Problem {
  return {
    code: "release-not-found",
    what: `Release ${to} doesn't exist`,
    where: [],
    ...(history.newest === undefined ? nothingRecorded : choiceAdvice(history, activeRevision)),
  };
}

function choiceAdvice(
  { releases, current }: ReleaseHistory,
  activeRevision: number | undefined,
): ReleaseAdvice {
  return {
    facts: [{ label: "recorded", value: describeReleases(releases, current, activeRevision) }],
    fix: "Choose one of the recorded releases",
  };
}

/** Formats releases with the statuses of `qvs releases`: `3 (failed), 2 (current)`. */
function describeReleases(
  releases: readonly Release[],
  current: Release | undefined,
  activeRevision: number | undefined,
): string {
  const known = releases.map((release) => {
    const status = statusText(release, activeRevision);
    return `${release.revision} (${release === current ? "current" : status})`;
  });
  return summarizeList(known, maxListed);
}

/** The maximum number of listed releases. It is more than qvs keeps by default. */
const maxListed = 20;

/** Returns the end of a sentence about the release. */
function endDescription(release: Release, activeRevision: number | undefined): string {
  const text = statusText(release, activeRevision);
  switch (releaseStatus(release, release.revision === activeRevision)) {
    case "under way":
      return `is ${text}`;
    case "cancelled":
    case "superseded":
      return `was ${text}`;
    default:
      return text;
  }
}

function statusText(release: Release, activeRevision: number | undefined): string {
  const status = releaseStatus(release, release.revision === activeRevision);
  return status === "cancelled" ? "canceled" : status;
}

function notSucceededProblem(
  release: Release,
  history: ReleaseHistory,
  activeRevision: number | undefined,
): Problem {
  const { revision } = release;
  const previous = previousRelease(history);
  const advice =
    previous === undefined
      ? { fix: "Choose it anyway with --allow-failed" }
      : {
          fix: `Choose release ${previous.revision}, which succeeded`,
          otherwise: [`choose release ${revision} anyway with --allow-failed`],
        };
  return {
    code: "release-not-succeeded",
    what: `Release ${revision} ${endDescription(release, activeRevision)}`,
    why: "Its manifests might never have worked",
    ...advice,
    inputs: ["allow-failed: true"],
    where: [],
  };
}

/** Converts the manifests of a release to the planner's input. */
export function releaseManifests(release: Release): readonly Manifest[] {
  return release.expandedConfig.map(({ stage, resource, object, dependsOn, references }) => ({
    type: "manifest",
    stage,
    id: resource,
    object,
    dependsOn,
    ...(references === true ? {} : { isLiteral: true }),
  }));
}
