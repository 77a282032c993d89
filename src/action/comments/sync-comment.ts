import type { GitHubClient, RepositoryName } from "../../io/github/client.ts";
import { dependabotLogin, type PullRequestEvent } from "../../io/github/event.ts";
import { isMissingPermission } from "../../io/github/explain-refusal.ts";
import { logLines } from "../../io/github/log.ts";
import { openPullRequest } from "../../io/github/pull-request.ts";
import { writeOutputs } from "../../io/github/step-outputs.ts";
import { currentPull } from "../../io/github/workflow-run.ts";
import type { PullRequest } from "../../ports/github.ts";
import {
  isArtifactComment,
  needsComment,
  renderComment,
} from "../../report/comment/render-comment.ts";
import type { Review } from "../../report/review/review.ts";
import type { RunContext } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { viewKeyedComments } from "./own-comments.ts";
import { stickyComment } from "./sticky-comment.ts";
import { viewWorkflowComments, workflowPath } from "./workflow-comments.ts";

/**
 * Updates the pull request's one comment and returns its address. Returns undefined if no comment
 * exists and the review has nothing to report.
 */
export async function syncComment(
  pullRequest: PullRequest,
  review: Review,
  when: "always" | "changes",
): Promise<string | undefined> {
  return stickyComment(pullRequest, renderComment(review), {
    create: when === "always" || needsComment(review),
    shorten: (limit) => renderComment(review, limit),
    // A comment that a run of this repository wrote itself isn't replaced by one from artifacts.
    mayReplace: review.artifactOf?.isFork === false ? isArtifactComment : undefined,
  });
}

/**
 * Writes the comment on the pull request. It skips forks: their token isn't allowed to write
 * comments, and their runs have no secrets.
 */
export async function writeComment(
  { fromFork, number, headSha }: PullRequestEvent,
  review: Review,
  inputs: Inputs,
  context: RunContext,
): Promise<void> {
  const { comment: when } = inputs;
  if (fromFork || when === "never") return;
  const output = { doing: "write the comment", unless: "comment: never" };
  const client = openOptionalClient(output, context, inputs);
  if (client === undefined) return;
  const write = async () => {
    const why = await outdatedReason(client, context.repository, { number, headSha });
    if (why !== undefined) return logLines(`Pull request #${number} ${why}`);
    const opened = openPullRequest(client, context.repository, number);
    const keyed = viewKeyedComments(opened, inputs.commentKey);
    const workflow = inputs.commentPerWorkflow ? workflowPath(context.env) : undefined;
    const pullRequest = viewWorkflowComments(keyed, workflow);
    writeOutputs({ "comment-url": await syncComment(pullRequest, review, when) }, context);
  };
  await bestEffortGitHub(output.doing, () => quietForDependabot(context, "write comments", write));
}

/**
 * Returns the reason why this run must not write to the pull request.
 * A late or restarted run can end after the merge, or after the run of a newer commit. If GitHub
 * doesn't answer, the comment is written: it contains its commit, and the deployment checks its
 * time.
 */
export async function outdatedReason(
  client: GitHubClient,
  repository: RepositoryName,
  { number, headSha }: Pick<PullRequestEvent, "number" | "headSha">,
): Promise<string | undefined> {
  const pull = await currentPull(client, repository, number).catch(() => undefined);
  if (pull === undefined) return undefined;
  if (!pull.isOpen) return "is closed now. qvs doesn't change its comment.";
  return pull.head === headSha
    ? undefined
    : "has a newer commit. The run of that commit writes the comment.";
}

/**
 * Writes to the pull request, and only logs a line if Dependabot started the run and its token
 * isn't allowed to `action`. Otherwise every Dependabot pull request would show a warning.
 */
export async function quietForDependabot(
  { env }: Pick<RunContext, "env">,
  action: string,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (env.GITHUB_ACTOR !== dependabotLogin || !isMissingPermission(error)) throw error;
    logLines(
      `Dependabot's token isn't allowed to ${action}. The summary of the run has the same content.`,
    );
  }
}
