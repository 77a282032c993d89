import { describeEvidence } from "../apply/describe-evidence.ts";
import type { DeploymentOutcome } from "../commands/deploy-changed.ts";
import { findStickyComment } from "../commands/sticky-comment.ts";
import { describeProblem } from "../errors.ts";
import { annotate } from "../io/github/annotations.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs } from "../io/github/outputs.ts";
import { findMergedPullRequest, openPullRequest } from "../io/github/pull-request.ts";
import { writeSummary } from "../io/github/summary.ts";
import type { Outcome } from "../report/outcome.ts";
import { renderOutcomes, withOutcome } from "../report/outcome-comment.ts";
import { renderOutcomeText } from "../report/plan-text.ts";
import { type ActionContext, clientFor } from "./context.ts";
import type { Inputs } from "./inputs.ts";

/** Log, summary, outputs, and the merged pull request's comment. A failed deployment fails the step. */
export async function reportOutcomes(
  all: readonly DeploymentOutcome[],
  event: GitHubEvent | undefined,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const outcomes = all.map(toOutcome);
  for (const outcome of outcomes) logLines(renderOutcomeText(outcome));
  const markdown = renderOutcomes(outcomes, context.commit, context.runUrl);
  if (inputs.summary && all.length > 0) writeSummary(markdown, context.env.GITHUB_STEP_SUMMARY);
  const [only] = outcomes;
  writeOutputs({ release: outcomes.length === 1 ? (only?.revision ?? "") : "" });
  for (const outcome of all) annotateFailure(outcome);
  if (event?.type === "push" && all.length > 0) await tellPullRequest(markdown, inputs, context);
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

function toOutcome(each: DeploymentOutcome): Outcome {
  const { name, environment } = each.deployment;
  if (each.type === "refused") {
    const refusal = each.problems.map(describeProblem).join("\n");
    const nothing = { revision: undefined, rollbackOf: undefined, results: [], evidence: [] };
    return { deployment: name, environment, succeeded: false, refusal, ...nothing };
  }
  const { release, result } = each.outcome;
  const evidence = result.failures.map(({ key, what, fix, evidence }) => ({
    key,
    lines: [what, ...(evidence === undefined ? [] : describeEvidence(evidence)), `→ ${fix}`],
  }));
  const { revision, rollbackOf } = release;
  const { succeeded, results } = result;
  return {
    deployment: name,
    environment,
    revision,
    rollbackOf,
    succeeded,
    results,
    evidence,
    refusal: undefined,
  };
}

function annotateFailure(each: DeploymentOutcome): void {
  if (each.type === "done" && each.outcome.result.succeeded) return;
  process.exitCode = 1;
  const problems =
    each.type === "refused"
      ? each.problems
      : each.outcome.result.failures.map(({ what, fix }) => ({ where: [], what, fix }));
  annotate(problems, "error", `QVS: ${each.deployment.name}`);
}
