import type { GitHubClient } from "../../io/github/client.ts";
import { dependabotLogin, type WorkflowRunEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { writeOutputs } from "../../io/github/outputs.ts";
import { openPullRequest } from "../../io/github/pull-request.ts";
import {
  currentPull,
  hasFile,
  openPullRequestsOf,
  readPlanArtifacts,
} from "../../io/github/workflow-run.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { foreignReview } from "../../report/review/foreign-review.ts";
import { mergeReviews } from "../../report/review/merge-reviews.ts";
import type { ArtifactSource } from "../../report/review/review.ts";
import { clientFor, type RunContext, repositoryUrlIn } from "../context.ts";
import { explained } from "../explained.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { showReview } from "./comment.ts";
import { commentOn } from "./comment-on.ts";
import { readReviews } from "./read-reviews.ts";
import { ofWorkflow } from "./workflow-comments.ts";

/**
 * Writes the comment for a pull request whose own run isn't allowed to write one.
 * The artifacts of that run are untrusted. The pull request's number comes from GitHub, never from
 * an artifact, and qvs renders the whole text again.
 */
export async function commentOnRun(
  event: WorkflowRunEvent,
  inputs: Inputs,
  context: RunContext,
): Promise<void> {
  const source = sourceOf(event, context);
  if (typeof source === "string") return logLines(source);
  const client = clientFor(context, inputs);
  if (client === undefined) throw noToken();
  const { repository, env } = context;
  const open = await explained("look for the pull request", reading, () =>
    openPullRequestsOf(client, repository, event),
  );
  if (open.length === 0) return logLines(`${noneAt(event)} Nothing is written.`);
  const texts = await explained("read the artifacts of the run", reading, () =>
    readPlanArtifacts(client, repository, event.runId),
  );
  if (texts.length === 0) return logLines("The run has left no plan. Nothing is written.");
  const files = readReviews(texts);
  const claimed = files[0]?.review.pullRequest;
  const merged = mergeReviews(files, {
    headCommit: event.headSha,
    // One branch can have several open pull requests with different bases. An artifact can only
    // choose among these.
    pullRequest: open.find((number) => number === claimed) ?? open[0],
    runUrl: event.runUrl,
    repositoryUrl: repositoryUrlIn(env),
    previewArtifact: undefined,
    expected: [],
  });
  if (!merged.ok) throw new UserError(merged.problems);
  const review = foreignReview(merged.value, source);
  // The counts aren't written as outputs: a workflow must not decide by untrusted data.
  showReview(review, inputs, context);
  if (inputs.comment === "never") return;
  const number = review.pullRequest ?? 0;
  const { isOpen, head } = await explained("look at the pull request", reading, () =>
    currentPull(client, repository, number),
  );
  if (!isOpen || head !== event.headSha) return logLines(`${noneAt(event)} Nothing is written.`);
  const keeper = source.isFork ? await keeperOf(event, client, context) : event.workflow;
  const pullRequest = ofWorkflow(openPullRequest(client, repository, number), keeper);
  const url = await explained("write the comment", "pull-requests: write", () =>
    commentOn(pullRequest, review, inputs.comment as "always" | "changes"),
  );
  writeOutputs({ "comment-url": url }, context);
}

/**
 * Returns the workflow that owns the comment.
 * Each workflow on the default branch has its own comment. A fork can add any number of workflows,
 * so these share one comment. If GitHub doesn't report the workflow, the comment has no owner.
 */
async function keeperOf(
  { workflow }: WorkflowRunEvent,
  client: GitHubClient,
  { repository, commit }: RunContext,
): Promise<string | undefined> {
  if (workflow === undefined) return undefined;
  return (await hasFile(client, repository, commit, workflow)) ? workflow : ofForks;
}

/** The owner of the comments of all workflows in forks. It isn't a valid workflow path. */
const ofForks = "workflows of forks";

const reading = "actions: read, pull-requests: write";

/**
 * Returns the repository that the run's code comes from, or the reason why there is nothing to do.
 */
function sourceOf(event: WorkflowRunEvent, { repository }: RunContext): ArtifactSource | string {
  const { startedBy, headRepository, actor, isCancelled } = event;
  if (startedBy !== "pull_request")
    return `The run was started by ${startedBy}. Nothing is written.`;
  if (isCancelled) return "The run was cancelled. Nothing is written.";
  if (headRepository === undefined) return "The fork was deleted. Nothing is written.";
  const isFork = headRepository !== `${repository.owner}/${repository.repo}`;
  if (isFork || actor === dependabotLogin) return { repository: headRepository, isFork };
  return "The run is of this repository and has written the comment itself.";
}

function noneAt({ headSha }: WorkflowRunEvent): string {
  return `No open pull request is at commit ${headSha.slice(0, 12)} any more.`;
}

function noToken() {
  return userError(
    "invalid-input",
    "the input token is empty",
    `Leave it out to use the job's own, and give the job \`permissions: ${reading}\``,
  );
}
