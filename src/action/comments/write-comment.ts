import type { GitHubClient, RepositoryName } from "../../io/github/client.ts";
import { dependabotLogin, type PullRequestEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { writeOutputs } from "../../io/github/outputs.ts";
import { openPullRequest } from "../../io/github/pull-request.ts";
import { isMissingPermission } from "../../io/github/refusal.ts";
import { currentPull } from "../../io/github/workflow-run.ts";
import type { Review } from "../../report/review/review.ts";
import { bestEffortGitHub, clientToWrite } from "../best-effort-github.ts";
import type { RunContext } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { commentOn } from "./comment-on.ts";
import { withCommentKey } from "./keyed-comments.ts";
import { ofWorkflow, workflowIn } from "./workflow-comments.ts";

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
  const asked = { doing: "write the comment", unless: "comment: never" };
  const client = clientToWrite(asked, context, inputs);
  if (client === undefined) return;
  const write = async () => {
    const why = await outdated(client, context.repository, { number, headSha });
    if (why !== undefined) return logLines(`Pull request #${number} ${why}`);
    const opened = openPullRequest(client, context.repository, number);
    const keyed = withCommentKey(opened, inputs.commentKey);
    const workflow = inputs.commentPerWorkflow ? workflowIn(context.env) : undefined;
    const pullRequest = ofWorkflow(keyed, workflow);
    writeOutputs({ "comment-url": await commentOn(pullRequest, review, when) }, context);
  };
  await bestEffortGitHub(asked.doing, () =>
    context.env.GITHUB_ACTOR === dependabotLogin ? whereAllowed(write) : write(),
  );
}

/**
 * Returns the reason why this run must not write the comment.
 * A late or restarted run can end after the merge, or after the run of a newer commit. If GitHub
 * doesn't answer, the comment is written: it contains its commit, and the deployment checks its
 * time.
 */
async function outdated(
  client: GitHubClient,
  repository: RepositoryName,
  { number, headSha }: Pick<PullRequestEvent, "number" | "headSha">,
): Promise<string | undefined> {
  const pull = await currentPull(client, repository, number).catch(() => undefined);
  if (pull === undefined) return undefined;
  if (!pull.isOpen) return "is closed by now. Its comment stays as it is.";
  return pull.head === headSha ? undefined : "has a newer commit, whose run writes the comment.";
}

/**
 * Writes the comment, and only logs a line if Dependabot's token isn't allowed to. Otherwise every
 * Dependabot pull request would show a warning.
 */
async function whereAllowed(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isMissingPermission(error)) throw error;
    logLines("Dependabot's token may not write comments; the run's summary says the same.");
  }
}
