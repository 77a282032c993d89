import type { Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { newestRelease, type Release, sortNewestFirst } from "../model/release.ts";
import { summarizeList } from "../model/text/closest.ts";
import { rollbackCommand } from "../model/text/rollback-command.ts";
import { declareSameObjects } from "./same-objects.ts";
import { statusOf } from "./status-of.ts";

export interface ReleaseChoice {
  readonly to: number | "previous";
  /** True to also accept a failed or unfinished release, if it is requested by number. */
  readonly allowFailed: boolean;
}

/**
 * Selects the target of `rollback --to` (docs/concepts/releases.md#rollback).
 * It is a revision, or the newest succeeded release whose objects differ from the newest release.
 * `underWay` is the release that another run is working on.
 */
export function selectRelease(
  releases: readonly Release[],
  { to, allowFailed }: ReleaseChoice,
  underWay?: number,
): Result<Release> {
  const newestFirst = sortNewestFirst(releases);
  if (to === "previous") {
    const found = previousRelease(releases);
    return found === undefined ? failed([noPrevious(newestFirst)]) : ok(found);
  }
  const found = newestFirst.find((release) => release.revision === to);
  if (found === undefined) return failed([noSuchRelease(to, newestFirst, underWay)]);
  if (found.status !== "succeeded" && !allowFailed)
    return failed([notSucceeded(found, releases, underWay)]);
  return ok(found);
}

/**
 * Selects the current release, which must be the newest one.
 * The objects of a newest release that didn't succeed might exist or not.
 */
export function selectRunning(
  releases: readonly Release[],
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  underWay?: number,
): Result<Release> {
  const newest = newestRelease(releases);
  if (newest === undefined) return failed([neverDeployed({ name, namespace })]);
  if (newest.status === "succeeded") return ok(newest);
  const problem = {
    code: "release-not-succeeded",
    what: `Release ${newest.revision} of ${name} ${howEnded(newest, underWay)}`,
    why: "Its objects might exist or not, so the desired state isn't certain",
    where: [],
  } as const;
  if (newest.revision === underWay) return failed([{ ...problem, fix: "Wait until it has ended" }]);
  const previous = previousRelease(releases);
  const place = { name, namespace, context: undefined };
  const back =
    previous === undefined ? [] : [`roll back: ${rollbackCommand(place, previous.revision)}`];
  return failed([{ ...problem, fix: "Deploy it again", otherwise: back }]);
}

/** Returns the problem that no release is recorded, for a rollback or a comparison. */
export function neverDeployed({
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

/** Returns the release before the last change. Undefined if none exists. */
export function previousRelease(releases: readonly Release[]): Release | undefined {
  const [newest, ...older] = sortNewestFirst(releases);
  if (newest === undefined) return undefined;
  return older.find(
    (release) => release.status === "succeeded" && !declareSameObjects(release, newest),
  );
}

function noPrevious(newestFirst: readonly Release[]): Problem {
  return {
    code: "release-not-found",
    what: "No previous release exists",
    where: [],
    ...insteadOfPrevious(newestFirst),
  };
}

/**
 * Suggests a fix if no previous release exists.
 * Other succeeded releases have the same objects, and other releases are accepted only by number.
 */
function insteadOfPrevious([newest, ...older]: readonly Release[]): Advice {
  if (newest === undefined) return nothingRecorded;
  const why = "No recorded release that succeeded has other objects than the newest release";
  const fix = "Deploy a change first";
  const others = older.filter((release) => !declareSameObjects(release, newest));
  const [other, ...more] = others;
  if (other === undefined) return { why, fix };
  const which =
    more.length === 0
      ? `choose release ${other.revision}, which ${howEnded(other, undefined)}, with --to ${other.revision} --allow-failed`
      : `choose one of ${described(others, undefined)} with --to NUMBER --allow-failed`;
  return { why, fix, otherwise: [which] };
}

type Advice = Pick<Problem, "facts" | "why" | "fix" | "otherwise">;

const nothingRecorded: Advice = { why: "No release is recorded yet", fix: "Deploy first" };

function noSuchRelease(
  to: number,
  newestFirst: readonly Release[],
  underWay: number | undefined,
): Problem {
  return {
    code: "release-not-found",
    what: `Release ${to} doesn't exist`,
    where: [],
    ...(newestFirst.length === 0 ? nothingRecorded : choices(newestFirst, underWay)),
  };
}

function choices(newestFirst: readonly Release[], underWay: number | undefined): Advice {
  return {
    facts: [{ label: "recorded", value: described(newestFirst, underWay) }],
    fix: "Choose one of the recorded releases",
  };
}

/** Formats releases with the statuses of `qvs releases`: `3 (failed), 2 (current)`. */
function described(newestFirst: readonly Release[], underWay: number | undefined): string {
  const running = newestFirst.find(({ status }) => status === "succeeded");
  const known = newestFirst.map((release) => {
    const status = statusText(release, underWay);
    return `${release.revision} (${release === running ? "current" : status})`;
  });
  return summarizeList(known, mostListed);
}

/** The maximum number of listed releases. It is more than qvs keeps by default. */
const mostListed = 20;

/** Returns the end of a sentence about the release. */
function howEnded(release: Release, underWay: number | undefined): string {
  const text = statusText(release, underWay);
  switch (statusOf(release, release.revision === underWay)) {
    case "under way":
      return `is ${text}`;
    case "cancelled":
    case "superseded":
      return `was ${text}`;
    default:
      return text;
  }
}

function statusText(release: Release, underWay: number | undefined): string {
  const status = statusOf(release, release.revision === underWay);
  return status === "cancelled" ? "canceled" : status;
}

function notSucceeded(
  release: Release,
  releases: readonly Release[],
  underWay: number | undefined,
): Problem {
  const { revision } = release;
  const previous = previousRelease(releases);
  const ways =
    previous === undefined
      ? { fix: "Choose it anyway with --allow-failed" }
      : {
          fix: `Choose release ${previous.revision}, which succeeded`,
          otherwise: [`choose release ${revision} anyway with --allow-failed`],
        };
  return {
    code: "release-not-succeeded",
    what: `Release ${revision} ${howEnded(release, underWay)}`,
    why: "Its manifests might never have worked",
    ...ways,
    inputs: ["allow-failed: true"],
    where: [],
  };
}

/** Converts the manifests of a release to the planner's input. */
export function manifestsOf(release: Release): readonly Manifest[] {
  return release.expandedConfig.map(({ stage, resource, object, dependsOn, references }) => ({
    type: "manifest",
    stage,
    id: resource,
    object,
    dependsOn,
    ...(references === true ? {} : { isLiteral: true }),
  }));
}
