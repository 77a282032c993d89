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

/**
 * The most pull requests that get the outcome. A merge queue pushes several at once, and a merged
 * branch can add any number. Each needs some requests, and a token has 1,000 per hour.
 */
const mostPullRequests = 20;

/**
 * Adds the outcome to the comment on each pull request that a push merged.
 * If a pull request has no comment, it gets one for a failure only, unless the input comment is
 * `always`.
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

/** Finds the merged pull requests. After an error, returns those that it found before. */
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
