import { commentOn, previewPullRequest } from "../commands/pull-request.ts";
import { describeProblem } from "../errors.ts";
import { annotate } from "../io/github/annotations.ts";
import type { PullRequestEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs } from "../io/github/outputs.ts";
import { openPullRequest } from "../io/github/pull-request.ts";
import { writeSummary } from "../io/github/summary.ts";
import type { Problem } from "../model/problem.ts";
import { renderSummary } from "../report/comment.ts";
import type { CommentInput } from "../report/comment-input.ts";
import { renderPlanText } from "../report/plan-text.ts";
import { type ActionContext, clientFor, hasCluster } from "./context.ts";
import { despiteGitHub } from "./despite-github.ts";
import type { Inputs } from "./inputs.ts";

/** pull_request: what merging would change, as a summary, outputs and a comment. Fails when it could not be deployed. */
export async function planPullRequest(
  event: PullRequestEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world, env, runUrl } = context;
  const input = await previewPullRequest(world, {
    base: event.baseSha,
    headSha: event.headSha,
    inline: inputs.inline,
    policy: inputs.options.policy,
    withoutCluster: withoutCluster(event, inputs, context),
    isChosen: inputs.isChosen,
    adjusted: inputs.adjusted,
    runUrl,
  });
  if (inputs.summary) writeSummary(renderSummary(input), env.GITHUB_STEP_SUMMARY);
  for (const { deployment, plan } of input.deployments) {
    logLines(`${deployment.name}\n${plan === undefined ? "no plan" : renderPlanText(plan)}`);
  }
  if (input.obstacles === undefined) writeOutputs(countsOf(input));
  else failOnObstacles(input.obstacles);
  failOnProblems(input);
  await despiteGitHub("write the comment", () => writeComment(event, input, inputs, context));
}

function withoutCluster(
  event: PullRequestEvent,
  inputs: Inputs,
  context: ActionContext,
): string | undefined {
  if (event.fromFork) return "pull requests from forks get no credentials";
  return hasCluster(context, inputs) ? undefined : "no kubeconfig was given";
}

/** A fork's token may not write comments, and its runs have no secrets. */
async function writeComment(
  { fromFork, number }: PullRequestEvent,
  input: CommentInput,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const client = fromFork ? undefined : clientFor(context, inputs);
  if (client === undefined || inputs.comment === "never") return;
  const conversation = openPullRequest(client, context.repository, number);
  writeOutputs({ "comment-url": await commentOn(conversation, input, inputs.comment) });
}

function countsOf({
  deployments,
}: CommentInput): Readonly<Record<string, string | number | boolean>> {
  const plans = deployments.flatMap(({ plan }) => (plan === undefined ? [] : [plan]));
  const count = (action: string) =>
    plans.flatMap(({ changes }) => changes).filter((change) => change.action === action).length;
  const deletions = plans.flatMap((plan) => plan.deletions).length;
  const created = count("create");
  const updated = count("update");
  const replaced = count("replace");
  const [only] = plans;
  return {
    changed: created + updated + replaced + deletions > 0,
    "to-create": created,
    "to-update": updated,
    "to-replace": replaced,
    "to-delete": deletions,
    "has-deletions": deletions > 0,
    "plan-digest": plans.length === 1 && only !== undefined ? only.digest : "",
  };
}

function failOnObstacles(obstacles: readonly Problem[]): void {
  logLines(obstacles.map(describeProblem).join("\n\n"));
  annotate(obstacles, "error", "QVS");
  process.exitCode = 1;
}

function failOnProblems({ deployments }: CommentInput): void {
  for (const { deployment, problems, planProblems } of deployments) {
    const all = [...problems, ...planProblems];
    if (all.length === 0) continue;
    annotate(all, "error", `QVS: ${deployment.name}`);
    process.exitCode = 1;
  }
}
