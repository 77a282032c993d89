import type { GitHubClient } from "../../io/github/client.ts";
import { dependabotLogin, type WorkflowRunEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { openPullRequest } from "../../io/github/pull-request.ts";
import { writeOutputs } from "../../io/github/step-outputs.ts";
import {
  currentPull,
  findOpenPullRequests,
  hasFile,
  readPlanArtifacts,
} from "../../io/github/workflow-run.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { mergeReviews } from "../../report/review/merge-reviews.ts";
import { untrustedReview } from "../../report/review/read-review.ts";
import type { ArtifactSource } from "../../report/review/review.ts";
import { openGitHubClient, type RunContext, readRepositoryUrl } from "../context.ts";
import { emptyToken, explainGitHubErrors } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { readReviews, showReview } from "./comment-on-plans.ts";
import { syncComment } from "./sync-comment.ts";
import { viewWorkflowComments } from "./workflow-comments.ts";

/**
 * Writes the comment for a pull request whose own run isn't allowed to write one.
 * The artifacts of that run are untrusted. The pull request's number comes from GitHub, never from
 * an artifact, and qvs renders the whole text again.
 */
export async function commentForWorkflowRun(
  event: WorkflowRunEvent,
  inputs: Inputs,
  context: RunContext,
): Promise<void> {
  const source = artifactSource(event, context);
  if (typeof source === "string") return logLines(source);
  const client = openGitHubClient(context, inputs);
  if (client === undefined) throw noToken();
  const { repository, env } = context;
  const open = await explainGitHubErrors("find the pull request", readPermissions, () =>
    findOpenPullRequests(client, repository, event),
  );
  if (open.length === 0) return logLines(`${noOpenPullRequestText(event)} ${noComment}`);
  const texts = await explainGitHubErrors("read the artifacts of the run", readPermissions, () =>
    readPlanArtifacts(client, repository, event.runId),
  );
  if (texts.length === 0) return logLines(`The run provided no plan. ${noComment}`);
  const files = readReviews(texts);
  const claimed = files[0]?.review.pullRequest;
  const merged = mergeReviews(files, {
    headCommit: event.headSha,
    // One branch can have several open pull requests with different bases. An artifact can only
    // choose among these.
    pullRequest: open.find((number) => number === claimed) ?? open[0],
    runUrl: event.runUrl,
    repositoryUrl: readRepositoryUrl(env),
    previewArtifact: undefined,
    expected: [],
  });
  if (!merged.ok) throw new UserError(merged.problems);
  const review = untrustedReview(merged.value, source);
  // The counts aren't written as outputs: a workflow must not decide by untrusted data.
  showReview(review, inputs, context);
  if (inputs.comment === "never") return;
  const number = review.pullRequest ?? 0;
  const { isOpen, head } = await explainGitHubErrors("read the pull request", readPermissions, () =>
    currentPull(client, repository, number),
  );
  if (!isOpen || head !== event.headSha)
    return logLines(`${noOpenPullRequestText(event)} ${noComment}`);
  const owner = source.isFork ? await commentOwner(event, client, context) : event.workflow;
  const pullRequest = viewWorkflowComments(openPullRequest(client, repository, number), owner);
  const url = await explainGitHubErrors("write the comment", "pull-requests: write", () =>
    syncComment(pullRequest, review, inputs.comment as "always" | "changes"),
  );
  writeOutputs({ "comment-url": url }, context);
}

/**
 * Returns the workflow that owns the comment.
 * Each workflow on the default branch has its own comment. A fork can add any number of workflows,
 * so these share one comment. If GitHub doesn't report the workflow, the comment has no owner.
 */
async function commentOwner(
  { workflow }: WorkflowRunEvent,
  client: GitHubClient,
  { repository, commit }: RunContext,
): Promise<string | undefined> {
  if (workflow === undefined) return undefined;
  return (await hasFile(client, repository, commit, workflow)) ? workflow : forkOwner;
}

/** The owner of the comments of all workflows in forks. It isn't a valid workflow path. */
const forkOwner = "workflows of forks";

const readPermissions = "actions: read, pull-requests: write";

const noComment = "qvs writes no comment.";

/**
 * Returns the repository that the run's code comes from, or the reason why there is nothing to do.
 */
function artifactSource(
  event: WorkflowRunEvent,
  { repository }: RunContext,
): ArtifactSource | string {
  const { startedBy, headRepository, actor, isCancelled } = event;
  if (startedBy !== "pull_request") return `The run was started by ${startedBy}. ${noComment}`;
  if (isCancelled) return `The run was canceled. ${noComment}`;
  if (headRepository === undefined) return `The fork was deleted. ${noComment}`;
  const isFork = headRepository !== `${repository.owner}/${repository.repo}`;
  if (isFork || actor === dependabotLogin) return { repository: headRepository, isFork };
  return "The run belongs to this repository and has written the comment itself.";
}

function noOpenPullRequestText({ headSha }: WorkflowRunEvent): string {
  return `No open pull request is at commit ${headSha.slice(0, 12)} anymore.`;
}

function noToken() {
  const { why: what, fix } = emptyToken(readPermissions);
  return userError("invalid-input", what, fix);
}
