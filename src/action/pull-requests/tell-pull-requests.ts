import type { GitHubClient } from "../../io/github/client.ts";
import type { GitHubEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { findMergedPullRequests, pullRequestsOf } from "../../io/github/pull-request.ts";
import { renderOutcomes } from "../../report/comment/outcome-comment.ts";
import type { Outcome } from "../../report/outcome.ts";
import { bestEffortGitHub, clientToWrite } from "../best-effort-github.ts";
import { withCommentKey } from "../comments/keyed-comments.ts";
import { addOutcome } from "../comments/sticky-comment.ts";
import { ofDeployments } from "../comments/workflow-comments.ts";
import type { ActionContext } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { waysBackFrom } from "../reports/ways-back.ts";
import { pushedCommits } from "./pushed-commits.ts";

type PushEvent = Extract<GitHubEvent, { readonly type: "push" }>;

/** A merge queue pushes several at once, a branch that was merged may bring any number. Each costs some requests, of which a token has 1,000 an hour. */
const mostPullRequests = 20;

/**
 * Tells the pull requests that a push has merged what became of it, each in its own comment. One that has none hears of failures
 * only, unless it shall always have one.
 */
export async function tellPullRequests(
  outcomes: readonly Outcome[],
  event: PushEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  if (inputs.comment === "never") return;
  const asked = { doing: "tell the merged pull requests", unless: "comment: never" };
  const client = clientToWrite(asked, context, inputs);
  if (client === undefined) return;
  const { repository, commit, runUrl } = context;
  const outcome = renderOutcomes(outcomes, commit, runUrl, await waysBackFrom(context));
  const create = inputs.comment === "always" || outcomes.some(({ succeeded }) => !succeeded);
  const numbered = pullRequestsOf(client, repository);
  const names = outcomes.map(({ deployment }) => deployment);
  const pullRequest = (number: number) =>
    ofDeployments(withCommentKey(numbered(number), inputs.commentKey), names);
  for (const number of await findMerged(client, event, context)) {
    await bestEffortGitHub(`tell the merged pull request #${number}`, async () => {
      await addOutcome(pullRequest(number), outcome, { create });
    });
  }
}

/** Whatever was found before something goes wrong is told. */
async function findMerged(
  client: GitHubClient,
  event: PushEvent,
  context: ActionContext,
): Promise<readonly number[]> {
  const found = new Set<number>();
  await bestEffortGitHub("look for the merged pull requests", async () => {
    for (const commit of await pushedCommits(client, event, context)) {
      const merged = await findMergedPullRequests(client, context.repository, commit);
      for (const number of merged) found.add(number);
      if (found.size >= mostPullRequests) break;
    }
  });
  const told = [...found].slice(0, mostPullRequests);
  if (told.length === mostPullRequests)
    logLines(`Of the pull requests that were merged, the newest ${mostPullRequests} are told.`);
  return told;
}
