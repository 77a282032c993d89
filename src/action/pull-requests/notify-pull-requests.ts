import type { GitHubClient } from "../../io/github/client.ts";
import type { PushEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { createPullRequestOpener, findMergedPullRequests } from "../../io/github/pull-request.ts";
import { type OutcomeLink, renderOutcomes } from "../../report/comment/outcome-comment.ts";
import type { OutcomeReport } from "../../report/outcome-report.ts";
import { viewKeyedComments } from "../comments/own-comments.ts";
import { addOutcome } from "../comments/sticky-comment.ts";
import { viewDeploymentComment } from "../comments/workflow-comments.ts";
import type { ActionContext } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { pushedCommits } from "./pushed-commits.ts";

/** The rollback workflows of users, named as in workflows/ and by `qvs init`. */
const rollbackWorkflows = [
  "rollback.yml",
  "rollback.yaml",
  "qvs-rollback.yml",
  "qvs-rollback.yaml",
];

/** GitHub's documentation of the revert button on a merged pull request. */
const revertPage =
  "https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/reverting-a-pull-request";

/**
 * Returns links for undoing the deployment: the rollback workflow, and the revert of the pull
 * request.
 */
async function rollbackLinks({
  world,
  env,
}: Pick<ActionContext, "world" | "env">): Promise<readonly OutcomeLink[]> {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = env;
  const revert = { label: "revert", url: revertPage };
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return [revert];
  const workflows = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/workflows`;
  for (const name of rollbackWorkflows) {
    const text = await world.source.tree.read(`.github/workflows/${name}`).catch(() => undefined);
    if (text !== undefined) return [{ label: "roll back", url: `${workflows}/${name}` }, revert];
  }
  return [revert];
}

/**
 * The most pull requests that get the outcome. A merge queue pushes several at once, and a merged
 * branch can add any number. Each needs some requests, and a token has 1,000 per hour.
 */
const maxPullRequests = 20;

/**
 * Adds the outcome to the comment on each pull request that a push merged.
 * If a pull request has no comment, it gets one for a failure only, unless the input comment is
 * `always`.
 */
export async function notifyPullRequests(
  outcomes: readonly OutcomeReport[],
  event: PushEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  if (inputs.comment === "never") return;
  const output = { doing: "comment on the merged pull requests", unless: "comment: never" };
  const client = openOptionalClient(output, context, inputs);
  if (client === undefined) return;
  const { repository, commit, runUrl } = context;
  const outcome = renderOutcomes(outcomes, commit, runUrl, await rollbackLinks(context));
  const create = inputs.comment === "always" || outcomes.some(({ succeeded }) => !succeeded);
  const numbered = createPullRequestOpener(client, repository);
  const names = outcomes.map(({ deployment }) => deployment);
  const pullRequest = (number: number) =>
    viewDeploymentComment(viewKeyedComments(numbered(number), inputs.commentKey), names);
  for (const number of await findMerged(client, event, context)) {
    await bestEffortGitHub(`comment on the merged pull request #${number}`, async () => {
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
  await bestEffortGitHub("find the merged pull requests", async () => {
    for (const commit of await pushedCommits(client, event, context)) {
      const merged = await findMergedPullRequests(client, context.repository, commit);
      for (const number of merged) found.add(number);
      if (found.size >= maxPullRequests) break;
    }
  });
  const selected = [...found].slice(0, maxPullRequests);
  if (selected.length === maxPullRequests)
    logLines(`qvs comments only on the newest ${maxPullRequests} merged pull requests.`);
  return selected;
}
