import type { Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { fromNewest, newestOf, type Release } from "../model/release.ts";
import { listed } from "../model/text/closest.ts";
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
  const newestFirst = fromNewest(releases);
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
  const newest = newestOf(releases);
  if (newest === undefined) return failed([neverDeployed({ name, namespace })]);
  if (newest.status === "succeeded") return ok(newest);
  const what = `Release ${newest.revision} of ${name} ${howEnded(newest, underWay)}, so what should be there is not certain`;
  if (newest.revision === underWay) {
    const fix = "Wait until it has ended";
    return failed([{ code: "release-not-succeeded", what, fix, where: [] }]);
  }
  const previous = previousRelease(releases);
  const back =
    previous === undefined
      ? ""
      : `, or go back: ${rollbackCommand({ name, namespace, context: undefined }, previous.revision)}`;
  const fix = `Deploy it again${back}`;
  return failed([{ code: "release-not-succeeded", what, fix, where: [] }]);
}

/** Returns the problem that no release is recorded, for a rollback or a comparison. */
export function neverDeployed({
  name,
  namespace,
}: Pick<Deployment, "name" | "namespace">): Problem {
  return {
    code: "release-not-found",
    what: `${name} has never been deployed: no release of it is recorded in namespace ${namespace}`,
    fix: "Deploy it first, or choose another namespace with --namespace or another cluster with --context",
    where: [],
  };
}

/** Returns the release before the last change. Undefined if none exists. */
export function previousRelease(releases: readonly Release[]): Release | undefined {
  const [newest, ...older] = fromNewest(releases);
  if (newest === undefined) return undefined;
  return older.find(
    (release) => release.status === "succeeded" && !declareSameObjects(release, newest),
  );
}

function noPrevious(newestFirst: readonly Release[]): Problem {
  const what = "No recorded release that succeeded has other objects than those that run now";
  return { code: "release-not-found", what, fix: insteadOfPrevious(newestFirst), where: [] };
}

/**
 * Suggests a fix if no previous release exists.
 * Other succeeded releases have the same objects, and other releases are accepted only by number.
 */
function insteadOfPrevious([newest, ...older]: readonly Release[]): string {
  if (newest === undefined) return choices([], undefined);
  const others = older.filter((release) => !declareSameObjects(release, newest));
  const [other, ...more] = others;
  if (other === undefined) return "Deploy a change first";
  const which =
    more.length === 0
      ? `release ${other.revision}, which ${howEnded(other, undefined)}, all the same with --to ${other.revision} --allow-failed`
      : `one of ${described(others, undefined)} all the same with --allow-failed and --to its number`;
  return `Deploy a change first, or take ${which}`;
}

function noSuchRelease(
  to: number,
  newestFirst: readonly Release[],
  underWay: number | undefined,
): Problem {
  return {
    code: "release-not-found",
    what: `There is no release ${to}`,
    fix: choices(newestFirst, underWay),
    where: [],
  };
}

function choices(newestFirst: readonly Release[], underWay: number | undefined): string {
  if (newestFirst.length === 0) return "Deploy first: nothing is recorded yet";
  return `Choose one of ${described(newestFirst, underWay)}`;
}

/** Formats releases like `qvs releases`. */
function described(newestFirst: readonly Release[], underWay: number | undefined): string {
  const running = newestFirst.find(({ status }) => status === "succeeded");
  const known = newestFirst.map((release) => {
    const status = statusOf(release, release.revision === underWay);
    return `${release.revision} (${release === running ? "runs" : status})`;
  });
  return listed(known, mostListed);
}

/** The maximum number of listed releases. It is more than qvs keeps by default. */
const mostListed = 20;

/** Returns the end of a sentence about the release. */
function howEnded(release: Release, underWay: number | undefined): string {
  const status = statusOf(release, release.revision === underWay);
  switch (status) {
    case "under way":
      return "is under way";
    case "cancelled":
    case "superseded":
      return `was ${status}`;
    default:
      return status;
  }
}

function notSucceeded(
  release: Release,
  releases: readonly Release[],
  underWay: number | undefined,
): Problem {
  const { revision } = release;
  const previous = previousRelease(releases);
  const better =
    previous === undefined ? "" : `Take release ${previous.revision}, which succeeded, or this `;
  return {
    code: "release-not-succeeded",
    what: `Release ${revision} ${howEnded(release, underWay)}, so what it declares may never have worked`,
    fix: `${better}${better === "" ? "Take it" : "one"} all the same with --allow-failed`,
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
    ...(references === true ? {} : { settled: true }),
  }));
}
