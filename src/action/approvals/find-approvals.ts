import { branchOfRef } from "../../io/github/branch.ts";
import type { GitHubClient } from "../../io/github/client.ts";
import type { GitHubEvent, MergeGroupEvent } from "../../io/github/event.ts";
import { answerOf, explainRefusal } from "../../io/github/refusal.ts";
import {
  pullRequestsOfCommits,
  queuedUpTo,
  readPullRequests,
} from "../../io/github/reviewed-pull-requests.ts";
import type { ReviewedPullRequest } from "../../ports/github.ts";
import { markerOf } from "../comments/keyed-comments.ts";
import { type ActionContext, clientFor, type ToAskGitHub } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { pushedCommits } from "../pull-requests/pushed-commits.ts";
import { approvalsOf } from "./approvals-of.ts";
import {
  type FoundApprovals,
  noApprovals,
  readFoundApprovals,
  together,
} from "./found-approvals.ts";

type Where = Pick<ActionContext, "world" | "repository" | keyof ToAskGitHub>;
/** The context, with the first line of the comments that count. */
type Marked = Where & { readonly marker: string };
type Asked = Pick<Inputs, "approvedPlan" | "approvals" | "commentKey" | "token" | "options">;

/**
 * The number of commits before a merge group that are searched for pull requests. A pull request
 * that was merged just before might not be deployed yet, and is then part of the group's plan.
 */
const mergedBefore = 10;

/** The most pull requests whose comments are read. A merge queue merges far fewer at once. */
const mostPullRequests = 20;

/**
 * Finds the approvals of the pull requests that an event adds to the branch.
 * Returns undefined if no approval is needed: the policy is off, or this run got the plan's digest.
 * The number of requests doesn't depend on the number of deployments.
 */
export async function findApprovals(
  event: GitHubEvent,
  inputs: Asked,
  context: Where,
): Promise<FoundApprovals | undefined> {
  const { approvedPlan, approvals, options } = inputs;
  if (approvedPlan === "off" || options.expected !== undefined) return undefined;
  if (approvals !== "")
    return (
      readFoundApprovals(approvals) ??
      noApprovals("the input approvals is not what mode list has written")
    );
  const client = clientFor(context, inputs);
  if (client === undefined)
    return noApprovals("the input token is empty, so no comment can be read");
  const where = { ...context, marker: markerOf(inputs.commentKey) };
  try {
    return event.type === "merge_group"
      ? await approvedInQueue(client, event, where)
      : await approvedByMerging(client, event, where);
  } catch (error) {
    return noApprovals(describe(error));
  }
}

async function approvedByMerging(
  client: GitHubClient,
  event: GitHubEvent,
  { repository, world, marker }: Marked,
): Promise<FoundApprovals> {
  const head = await world.repository?.resolve("HEAD");
  const commits =
    event.type === "push"
      ? await pushedCommits(client, event, { repository, world })
      : head === undefined
        ? []
        : [head];
  const numbers = await pullRequestsOfCommits(client, repository, commits);
  const branch = "ref" in event ? branchOfRef(event.ref) : undefined;
  const merged = (pull: ReviewedPullRequest) => pull.merged && pull.baseBranch === branch;
  return read(client, { repository, marker }, numbers, merged);
}

/**
 * Finds the approvals of a merge group. The name of the queue's branch contains the number of the
 * group's last pull request. The pull requests before it are merged with it, or earlier.
 */
async function approvedInQueue(
  client: GitHubClient,
  { headRef, baseRef, baseSha, headSha }: MergeGroupEvent,
  { repository, world, marker }: Marked,
): Promise<FoundApprovals> {
  const last = Number(/\/pr-(\d+)-[0-9a-f]+$/.exec(headRef)?.[1]);
  if (!(last > 0))
    return noApprovals(`the branch of the merge queue, ${headRef}, names no pull request`);
  const branch = branchOfRef(baseRef);
  const since = (await world.repository?.resolve(`${baseSha}~${mergedBefore}`)) ?? baseSha;
  const commits = await pushedCommits(
    client,
    { before: since, after: headSha },
    { repository, world },
  );
  const [queued, ofCommits] = await Promise.all([
    queuedUpTo(client, repository, branch, last).catch(() => [last]),
    pullRequestsOfCommits(client, repository, commits),
  ]);
  const numbers = [...new Set([...queued, ...ofCommits])];
  const counts = ({ baseBranch }: ReviewedPullRequest) => baseBranch === branch;
  return read(client, { repository, marker }, numbers, counts);
}

async function read(
  client: GitHubClient,
  { repository, marker }: Pick<Marked, "repository" | "marker">,
  numbers: readonly number[],
  counts: (pull: ReviewedPullRequest) => boolean,
): Promise<FoundApprovals> {
  const all = await readPullRequests(
    client,
    { ...repository, marker },
    numbers.slice(0, mostPullRequests),
  );
  const pulls = all.filter(counts);
  if (pulls.length === 0) return noApprovals("no pull request brought this commit to the branch");
  const found = together(pulls.map((pull) => approvalsOf(pull, marker)));
  if (numbers.length <= mostPullRequests) return found;
  const more = `of the ${numbers.length} pull requests only the newest ${mostPullRequests} were looked at`;
  return { ...found, missing: [...found.missing, more] };
}

function describe(error: unknown): string {
  const { why, fix } = explainRefusal(error, "pull-requests: read");
  const answer = answerOf(error);
  const quoted = answer === undefined ? "" : ` (${answer})`;
  return `GitHub did not tell what was approved${quoted}: ${why}. ${fix}`;
}
