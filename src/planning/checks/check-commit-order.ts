import type { Release } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import type { Fact, Fixes, Problem } from "../../model/problems/problem.ts";
import { rollbackCommand } from "../../model/text/qvs-commands.ts";
import {
  commitName,
  deployedCommit,
  isUnconfirmedRollback,
  releasesToFollow,
} from "../../releases/current-release.ts";
import { previousRelease } from "../../releases/previous-release.ts";
import { declareSameObjects } from "../../releases/with-other-stage.ts";
import type { PlanningContext } from "../planning-context.ts";

/** The result of the comparison between the commit to deploy and the current release. */
export interface CommitOrderResult {
  readonly blockers: readonly Problem[];
  readonly notices: readonly Problem[];
  /** The reason why this run has nothing to do; undefined if it has. */
  readonly superseded: Problem | undefined;
}

const inOrder: CommitOrderResult = { blockers: [], notices: [], superseded: undefined };

/** The commit to deploy in relation to a release whose commit it must not be older than. */
interface CommitComparison {
  /** The release in words: `release 4 of "shop"`. */
  readonly release: string;
  readonly facts: readonly Fact[];
  readonly commit: string;
}

/**
 * Compares the commit to deploy with the current release (docs/reference/deployment.md#commits).
 * Without this check, qvs could overwrite a newer commit unnoticed. Rollbacks aren't checked: they
 * go back on purpose.
 */
export async function checkCommitOrder(
  context: PlanningContext,
  history: ReleaseHistory,
): Promise<CommitOrderResult> {
  const { request, source } = context;
  if (request.whenOlder === undefined) return inOrder;
  const uncertainties: Problem[] = [];
  const precedingReleases = releasesToFollow(history);
  if (!precedingReleases.some((each) => deployedCommit(each).commit !== undefined))
    return await checkListing(context);
  for (const release of precedingReleases) {
    const { commit } = deployedCommit(release);
    if (commit === undefined || commit === source.commit) continue;
    const compared = compareCommit(context, release, history.newest ?? release);
    const relation =
      source.commit === undefined ? "unknown" : await context.compareCommits(source.commit, commit);
    if (relation === "older") return olderCommitResult(context, compared, history);
    if (relation === "diverged") uncertainties.push(divergedProblem(context, compared));
    if (relation === "unknown") uncertainties.push(possiblyOlderProblem(context, compared));
  }
  return { ...inOrder, notices: uncertainties.slice(0, 1) };
}

/**
 * Checks that the newest commit of the branch still lists a deployment without releases.
 * A deletion also deletes the releases, so no record shows that a newer commit removed the
 * deployment. Without this check, a restarted run would create the deleted objects again.
 */
async function checkListing({
  deployment,
  listing,
  request: { whenOlder },
}: PlanningContext): Promise<CommitOrderResult> {
  const listed = await listing?.(deployment);
  if (listed === undefined || listed.type === "listed") return inOrder;
  if (listed.type === "unknown") {
    const what = `"${deployment.name}" might no longer be listed on the branch`;
    const { why, fix } = listed;
    return { ...inOrder, notices: [{ code: "commit-order-unknown", where: [], what, why, fix }] };
  }
  const problem = {
    code: "deployment-not-listed",
    where: [],
    what: `"${deployment.name}" is no longer listed on the branch`,
    why: `The newest commit of the branch, ${listed.commit.slice(0, 12)}, doesn't list it, and it has no release`,
  } as const;
  if (whenOlder === "allow") return { ...inOrder, notices: [{ ...problem, fix: allowedOlder }] };
  const superseded = {
    ...problem,
    fix: "Nothing to do: nothing was changed",
    otherwise: [`list "${deployment.name}" in deployments.yaml again to deploy it`],
  };
  return { ...inOrder, superseded };
}

const allowedOlder = "Nothing to do: --allow-older deploys it anyway";

function olderCommitResult(
  context: PlanningContext,
  { release, facts }: CommitComparison,
  history: ReleaseHistory,
): CommitOrderResult {
  const { whenOlder } = context.request;
  const problem = {
    code: "older-commit",
    where: [],
    what: `The commit to deploy is older than ${release}`,
    facts,
  } as const;
  if (whenOlder === "allow") return { ...inOrder, notices: [{ ...problem, fix: allowedOlder }] };
  if (whenOlder === "supersede") {
    const fix = "Nothing to do: this run was late, and nothing was changed";
    return { ...inOrder, superseded: { ...problem, fix } };
  }
  const blocker: Problem = {
    ...problem,
    ...rollbackOptions(context, history),
    inputs: ["allow-older: true"],
  };
  // A preview only prints a notice: its plan might be for another time.
  return context.purpose === "deploy"
    ? { ...inOrder, blockers: [blocker] }
    : { ...inOrder, notices: [{ ...blocker, why: "qvs would block this deployment now" }] };
}

/**
 * Suggests a rollback to the release of this commit, because a user who restarts its run wants that
 * release.
 * Without such a release, it suggests the previous one.
 */
function rollbackOptions({ deployment, source }: PlanningContext, history: ReleaseHistory): Fixes {
  const { newest } = history;
  const sameCommit = history.releases.find(
    (release) =>
      release.status === "succeeded" &&
      !isUnconfirmedRollback(release) &&
      deployedCommit(release).commit === source.commit,
  );
  const otherwise = ["deploy the older commit with --allow-older"];
  if (
    sameCommit !== undefined &&
    newest?.status === "succeeded" &&
    declareSameObjects(sameCommit, newest)
  ) {
    const fix = `Nothing to do: the current release, ${newest.revision}, has the same objects as this commit`;
    return { fix, otherwise };
  }
  const release = sameCommit ?? previousRelease(history);
  if (release === undefined) return { fix: "Deploy the older commit with --allow-older" };
  const { revision } = release;
  const which =
    sameCommit === undefined ? `the previous release, ${revision}` : `release ${revision}`;
  const whose = sameCommit === undefined ? "" : ", which deployed this commit";
  const fix = `Roll back to ${which}${whose}: ${rollbackCommand(deployment, revision)}`;
  return { fix, otherwise };
}

function divergedProblem(
  { source }: PlanningContext,
  { release, facts, commit }: CommitComparison,
): Problem {
  const [from = "", to] = [source.commit, commit].map((each) => each?.slice(0, 12));
  return {
    code: "commit-order-unknown",
    what: `The commit to deploy isn't a descendant of ${release}`,
    why: "The branch was rewritten, or another branch is deployed",
    facts,
    fix: `List the commits that the commit to deploy lacks: git log ${from}..${to}`,
    where: [],
  };
}

/** The reason if neither the clone nor the Git host shows the order of two commits. */
export const unknownOrder = "qvs can't find the order of the two commits here";

function possiblyOlderProblem(
  { source }: PlanningContext,
  { release, facts }: CommitComparison,
): Problem {
  return {
    code: "commit-order-unknown",
    what: `The commit to deploy might be older than ${release}`,
    why:
      source.commit === undefined
        ? "The config to deploy isn't part of a Git commit"
        : unknownOrder,
    facts,
    fix: "Deploy from a clone with the full history: set fetch-depth: 0 for actions/checkout",
    otherwise: ["run git fetch --unshallow"],
    where: [],
  };
}

function compareCommit(
  { deployment, source }: PlanningContext,
  current: Release,
  newest: Release,
): CommitComparison {
  const other = deployedCommit(current);
  const mine = source.commit === undefined ? [] : [{ label: "commit", value: commitName(source) }];
  return {
    release: `release ${current.revision} of "${deployment.name}"`,
    facts: [...mine, { label: releaseRole(current, newest), value: commitName(other) }],
    commit: other.commit ?? "",
  };
}

function releaseRole(release: Release, newest: Release): string {
  if (isUnconfirmedRollback(release)) return "last rollback";
  return release.revision === newest.revision ? "current release" : "last deployment";
}
