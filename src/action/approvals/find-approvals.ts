import { branchName } from "../../io/github/branch.ts";
import type { GitHubClient } from "../../io/github/client.ts";
import type { GitHubEvent, MergeGroupEvent } from "../../io/github/event.ts";
import { answerText, explainRefusal } from "../../io/github/explain-refusal.ts";
import {
  findPullRequests,
  listQueuedPullRequests,
  readPullRequests,
} from "../../io/github/reviewed-pull-requests.ts";
import type { ReviewedPullRequest } from "../../ports/github.ts";
import { keyedMarker } from "../comments/own-comments.ts";
import { type ActionContext, type GitHubAccess, openGitHubClient } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { pushedCommits } from "../pull-requests/pushed-commits.ts";
import {
  type FoundApprovals,
  noApprovals,
  pullRequestApproval,
  readFoundApprovals,
  together,
} from "./found-approvals.ts";

type SearchContext = Pick<ActionContext, "world" | "repository" | keyof GitHubAccess>;
/** The context, with the first line of the comments that count. */
type MarkedSearchContext = SearchContext & { readonly marker: string };
type ApprovalInputs = Pick<
  Inputs,
  "approvedPlan" | "approvals" | "commentKey" | "token" | "request"
>;

/**
 * The number of commits before a merge group that are searched for pull requests. A pull request
 * that was merged just before might not be deployed yet, and is then part of the group's plan.
 */
const commitsBeforeGroup = 10;

/** The most pull requests whose comments are read. A merge queue merges far fewer at once. */
const maxPullRequests = 20;

/**
 * Finds the approvals of the pull requests that an event adds to the branch.
 * Returns undefined if no approval is needed: the policy is off, or this run got the plan's digest.
 * The number of requests doesn't depend on the number of deployments.
 */
export async function findApprovals(
  event: GitHubEvent,
  inputs: ApprovalInputs,
  context: SearchContext,
): Promise<FoundApprovals | undefined> {
  const { approvedPlan, approvals, request } = inputs;
  if (approvedPlan === "off" || request.expected !== undefined) return undefined;
  if (approvals !== "")
    return (
      readFoundApprovals(approvals) ??
      noApprovals("the input approvals isn't an output of mode list")
    );
  const client = openGitHubClient(context, inputs);
  if (client === undefined)
    return noApprovals("the input token is empty, so qvs can't read the comments");
  const where = { ...context, marker: keyedMarker(inputs.commentKey) };
  try {
    return event.type === "merge_group"
      ? await findQueueApprovals(client, event, where)
      : await findMergeApprovals(client, event, where);
  } catch (error) {
    return noApprovals(describe(error));
  }
}

async function findMergeApprovals(
  client: GitHubClient,
  event: GitHubEvent,
  { repository, world, marker }: MarkedSearchContext,
): Promise<FoundApprovals> {
  const head = await world.repository?.resolve("HEAD");
  const commits =
    event.type === "push"
      ? await pushedCommits(client, event, { repository, world })
      : head === undefined
        ? []
        : [head];
  const numbers = await findPullRequests(client, repository, commits);
  const branch = "ref" in event ? branchName(event.ref) : undefined;
  const merged = (pull: ReviewedPullRequest) => pull.merged && pull.baseBranch === branch;
  return read(client, { repository, marker }, numbers, merged);
}

/**
 * Finds the approvals of a merge group. The name of the queue's branch contains the number of the
 * group's last pull request. The pull requests before it are merged with it, or earlier.
 */
async function findQueueApprovals(
  client: GitHubClient,
  { headRef, baseRef, baseSha, headSha }: MergeGroupEvent,
  { repository, world, marker }: MarkedSearchContext,
): Promise<FoundApprovals> {
  const last = Number(/\/pr-(\d+)-[0-9a-f]+$/.exec(headRef)?.[1]);
  if (!(last > 0))
    return noApprovals(`the merge queue branch ${headRef} contains no pull request number`);
  const branch = branchName(baseRef);
  const since = (await world.repository?.resolve(`${baseSha}~${commitsBeforeGroup}`)) ?? baseSha;
  const commits = await pushedCommits(
    client,
    { before: since, after: headSha },
    { repository, world },
  );
  const [queued, ofCommits] = await Promise.all([
    listQueuedPullRequests(client, repository, branch, last).catch(() => [last]),
    findPullRequests(client, repository, commits),
  ]);
  const numbers = [...new Set([...queued, ...ofCommits])];
  const counts = ({ baseBranch }: ReviewedPullRequest) => baseBranch === branch;
  return read(client, { repository, marker }, numbers, counts);
}

async function read(
  client: GitHubClient,
  { repository, marker }: Pick<MarkedSearchContext, "repository" | "marker">,
  numbers: readonly number[],
  counts: (pull: ReviewedPullRequest) => boolean,
): Promise<FoundApprovals> {
  const all = await readPullRequests(
    client,
    { ...repository, marker },
    numbers.slice(0, maxPullRequests),
  );
  const pulls = all.filter(counts);
  if (pulls.length === 0) return noApprovals("no pull request added this commit to the branch");
  const found = together(pulls.map((pull) => pullRequestApproval(pull, marker)));
  if (numbers.length <= maxPullRequests) return found;
  const more = `qvs checked only the newest ${maxPullRequests} of ${numbers.length} pull requests`;
  return { ...found, missing: [...found.missing, more] };
}

function describe(error: unknown): string {
  const { why, fix } = explainRefusal(error, "pull-requests: read");
  const answer = answerText(error);
  const quoted = answer === undefined ? "" : ` (${answer})`;
  return `qvs can't read the approvals from GitHub${quoted}: ${why}. ${fix}`;
}
