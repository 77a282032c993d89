import type { Deployment } from "../../model/deployment.ts";
import type { Listing } from "../../model/listing.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Release } from "../../model/release.ts";
import { rollbackCommand } from "../../model/text/rollback-command.ts";
import type { CommitRelation } from "../../ports/git.ts";
import {
  commitName,
  commitOf,
  isHeldBack,
  releasesToFollow,
} from "../../releases/running-release.ts";
import { declareSameObjects } from "../../releases/same-objects.ts";
import { previousRelease } from "../../releases/select.ts";
import type { PlanningContext } from "../planning-context.ts";

/** The rule for a commit that is older than the commit of the current release. */
export interface CommitOrder {
  /** The reaction to an older commit; `supersede` ends a late run without a failure. */
  readonly whenOlder: "refuse" | "supersede" | "allow";
  relationOf(commit: string, other: string): Promise<CommitRelation>;
  /**
   * Reads whether the newest commit of the branch lists a deployment; undefined if no branch is
   * deployed.
   */
  readonly listing?: ((deployment: Deployment) => Promise<Listing>) | undefined;
}

/** The result of the comparison between the commit to deploy and the current release. */
export interface CheckedOrder {
  readonly blockers: readonly Problem[];
  readonly notices: readonly Problem[];
  /** The reason why this run has nothing to do; undefined if it has. */
  readonly superseded: Problem | undefined;
}

const follows: CheckedOrder = { blockers: [], notices: [], superseded: undefined };

/**
 * Compares the commit to deploy with the current release (docs/reference/deployment.md#commits).
 * Without this check, qvs could overwrite a newer commit unnoticed. Rollbacks aren't checked: they
 * go back on purpose.
 */
export async function checkCommitOrder(
  context: PlanningContext,
  releases: readonly Release[],
): Promise<CheckedOrder> {
  const { order, source } = context;
  if (order === undefined) return follows;
  const doubts: Problem[] = [];
  const [newest] = releases;
  const followed = releasesToFollow(releases);
  if (!followed.some((each) => commitOf(each).commit !== undefined))
    return await checkListing(context, order);
  for (const running of followed) {
    const { commit } = commitOf(running);
    const runs = runningText(context, running, newest ?? running);
    if (commit === undefined || commit === source.commit) continue;
    const relation =
      source.commit === undefined ? "unknown" : await order.relationOf(source.commit, commit);
    if (relation === "older") return judgeOlder(context, order, runs, releases);
    if (relation === "diverged") doubts.push(doesNotFollow(context, runs));
    if (relation === "unknown") doubts.push(mayBeOlder(context, runs));
  }
  return { ...follows, notices: doubts.slice(0, 1) };
}

/**
 * Checks that the newest commit of the branch still lists a deployment without releases.
 * A deletion also deletes the releases, so no record shows that a newer commit removed the
 * deployment. Without this check, a restarted run would create the deleted objects again.
 */
async function checkListing(
  context: PlanningContext,
  { listing, whenOlder }: CommitOrder,
): Promise<CheckedOrder> {
  const { deployment } = context;
  const told = await listing?.(deployment);
  if (told === undefined || told.type === "listed") return follows;
  if (told.type === "unknown") {
    const what = `Whether the branch still lists "${deployment.name}" is not known: ${told.why}`;
    const { fix } = told;
    return { ...follows, notices: [{ code: "commit-order-unknown", where: [], what, fix }] };
  }
  const what = `The newest commit of the branch, ${told.commit.slice(0, 12)}, does not list "${deployment.name}" any more, and it has no release`;
  const problem = { code: "no-longer-listed", where: [], what } as const;
  if (whenOlder === "allow") {
    const fix = "It is deployed all the same, as --allow-older says";
    return { ...follows, notices: [{ ...problem, fix }] };
  }
  const fix = "Nothing is to be done: nothing was changed. To have it again, list it again";
  return { ...follows, superseded: { ...problem, fix } };
}

function judgeOlder(
  context: PlanningContext,
  { whenOlder }: CommitOrder,
  runs: string,
  releases: readonly Release[],
): CheckedOrder {
  const what = `The commit to deploy, ${here(context)}, is older than ${runs}`;
  if (whenOlder === "allow") {
    const fix = "It is deployed all the same, as --allow-older says";
    return { ...follows, notices: [{ code: "older-commit", where: [], what, fix }] };
  }
  if (whenOlder === "supersede") {
    const fix = "Nothing is to be done: this run was late, and nothing was changed";
    return { ...follows, superseded: { code: "older-commit", where: [], what, fix } };
  }
  const goBack = rollbackTo(context, releases);
  const fix = `${goBack}Deploy the older commit all the same with --allow-older`;
  const problem: Problem = {
    code: "older-commit",
    where: [],
    what,
    fix,
    inputs: ["allow-older: true"],
  };
  // A preview only prints a notice: its plan might be for another time.
  return context.purpose === "deploy"
    ? { ...follows, blockers: [problem] }
    : { ...follows, notices: [{ ...problem, what: `The deployment would be refused: ${what}` }] };
}

/**
 * Suggests a rollback to the release of this commit, because a user who restarts its run wants that
 * release.
 * Without such a release, it suggests the previous one.
 */
function rollbackTo({ deployment, source }: PlanningContext, releases: readonly Release[]): string {
  const [newest] = releases;
  const own = releases.find(
    (release) =>
      release.status === "succeeded" &&
      !isHeldBack(release) &&
      commitOf(release).commit === source.commit,
  );
  if (own !== undefined && newest?.status === "succeeded" && declareSameObjects(own, newest)) {
    return `What it deployed runs already, as release ${newest.revision}. `;
  }
  const release = own ?? previousRelease(releases);
  if (release === undefined) return "";
  const whose = own === undefined ? "to the release before" : "to what it deployed";
  return `Go back ${whose} with ${rollbackCommand(deployment, release.revision)}. `;
}

function doesNotFollow(context: PlanningContext, runs: string): Problem {
  return {
    code: "commit-order-unknown",
    what: `The commit to deploy, ${here(context)}, does not follow ${runs}: the branch was rewritten, or another one is deployed`,
    fix: "Check that nothing of that commit is missing",
    where: [],
  };
}

function mayBeOlder(context: PlanningContext, runs: string): Problem {
  const what =
    context.source.commit === undefined
      ? `What is deployed here is of no commit, so nobody can tell whether it is older than ${runs}`
      : `Whether the commit to deploy, ${here(context)}, is older than ${runs}, is not known here`;
  return {
    code: "commit-order-unknown",
    what,
    fix: "Deploy from a clone with its whole history: fetch-depth: 0 of actions/checkout, or `git fetch --unshallow`",
    where: [],
  };
}

function here({ source }: PlanningContext): string {
  return commitName(source);
}

function runningText({ deployment }: PlanningContext, running: Release, newest: Release): string {
  const { revision } = running;
  const commit = commitName(commitOf(running));
  if (isHeldBack(running)) {
    return `${commit}, at which "${deployment.name}" was rolled back (release ${revision})`;
  }
  const verb = running.revision === newest.revision ? "runs" : "deployed";
  return `${commit}, which "${deployment.name}" ${verb} as release ${revision}`;
}
