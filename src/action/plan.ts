import { previewPullRequest } from "../commands/pull-request.ts";
import { annotate } from "../io/github/annotations.ts";
import type { PullRequestEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs } from "../io/github/outputs.ts";
import { openPullRequest } from "../io/github/pull-request.ts";
import { writeSummary } from "../io/github/summary.ts";
import type { CommentInput } from "../report/comment-input.ts";
import { renderPlanText } from "../report/plan-text.ts";
import { type ActionContext, clientFor } from "./context.ts";
import type { Inputs } from "./inputs.ts";

/** pull_request: what merging would change, as a comment, a summary and outputs. Fails when it could not be deployed. */
export async function planPullRequest(
  event: PullRequestEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world, env, repository, runUrl } = context;
  // A fork's token may not write comments, and its runs have no secrets.
  const client = event.fromFork ? undefined : clientFor(context, inputs);
  const conversation =
    client === undefined ? undefined : openPullRequest(client, repository, event.number);
  const { input, summary, commentUrl } = await previewPullRequest(world, conversation, {
    base: event.baseSha,
    headSha: event.headSha,
    inline: inputs.inline,
    allowDelete: inputs.options.allowDelete,
    withoutCluster: withoutCluster(event, inputs, env),
    isChosen: inputs.isChosen,
    adjusted: inputs.adjusted,
    comment: inputs.comment,
    runUrl,
  });
  if (inputs.summary) writeSummary(summary, env.GITHUB_STEP_SUMMARY);
  for (const { deployment, plan } of input.deployments) {
    logLines(`${deployment.name}\n${plan === undefined ? "no plan" : renderPlanText(plan)}`);
  }
  writeOutputs({ ...countsOf(input), "comment-url": commentUrl });
  failOnProblems(input);
}

function withoutCluster(
  event: PullRequestEvent,
  { kubeconfig }: Inputs,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (event.fromFork) return "pull requests from forks get no credentials";
  return kubeconfig === undefined && !env.KUBECONFIG ? "no kubeconfig was given" : undefined;
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
  const [only] = plans;
  return {
    changed: created + updated + deletions > 0,
    "to-create": created,
    "to-update": updated,
    "to-delete": deletions,
    "has-deletions": deletions > 0,
    "plan-digest": plans.length === 1 && only !== undefined ? only.digest : "",
  };
}

function failOnProblems({ deployments }: CommentInput): void {
  for (const { deployment, problems, planProblems } of deployments) {
    const all = [...problems, ...planProblems];
    if (all.length === 0) continue;
    annotate(all, "error", `QVS: ${deployment.name}`);
    process.exitCode = 1;
  }
}
