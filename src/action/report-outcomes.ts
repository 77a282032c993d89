import type { DeploymentOutcome } from "../commands/deploy-changed.ts";
import { findStickyComment } from "../commands/sticky-comment.ts";
import { annotate } from "../io/github/annotations.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs } from "../io/github/outputs.ts";
import { findMergedPullRequest, openPullRequest } from "../io/github/pull-request.ts";
import { writeSummary } from "../io/github/summary.ts";
import { renderOutcomeSummary, renderOutcomes, withOutcome } from "../report/outcome-comment.ts";
import { renderOutcomeText } from "../report/plan-text.ts";
import { type ActionContext, clientFor } from "./context.ts";
import { despiteGitHub } from "./despite-github.ts";
import type { Inputs } from "./inputs.ts";
import { toOutcome } from "./to-outcome.ts";

/** Log, summary, outputs, and the merged pull request's comment. A failed deployment fails the step. */
export async function reportOutcomes(
  all: readonly DeploymentOutcome[],
  event: GitHubEvent | undefined,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const outcomes = all.map(toOutcome);
  for (const outcome of outcomes) logLines(renderOutcomeText(outcome));
  const { commit, runUrl, env } = context;
  const summary = renderOutcomeSummary(outcomes, commit, runUrl);
  if (inputs.summary && all.length > 0) writeSummary(summary, env.GITHUB_STEP_SUMMARY);
  const [only] = outcomes;
  writeOutputs({ release: outcomes.length === 1 ? (only?.revision ?? "") : "" });
  for (const outcome of all) annotateFailure(outcome);
  if (event?.type !== "push" || all.length === 0) return;
  await despiteGitHub("tell the merged pull request", () =>
    tellPullRequest(renderOutcomes(outcomes, commit, runUrl), inputs, context),
  );
}

/** The comment of the pull request that brought the commit, if it has one. */
async function tellPullRequest(
  markdown: string,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const client = inputs.comment === "never" ? undefined : clientFor(context, inputs);
  if (client === undefined) return;
  const number = await findMergedPullRequest(client, context.repository, context.commit);
  if (number === undefined) return;
  const conversation = openPullRequest(client, context.repository, number);
  const comment = await findStickyComment(conversation);
  if (comment === undefined) return;
  await conversation.updateComment(comment.id, withOutcome(comment.body, markdown));
}

function annotateFailure(each: DeploymentOutcome): void {
  if (each.type === "broken") return;
  if (each.type === "done" && each.outcome.result.succeeded) return;
  process.exitCode = 1;
  const problems =
    each.type === "refused"
      ? each.problems
      : each.outcome.result.failures.map(({ what, fix }) => ({ where: [], what, fix }));
  annotate(problems, "error", `QVS: ${each.deployment.name}`);
}
