import { dryRunDeployment } from "../commands/dry-run.ts";
import { listReleases, listRollbackOptions } from "../commands/queries/releases.ts";
import { describeRollbackTarget } from "../deploying/plan-without-lock.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs, writeSummary } from "../io/github/step-outputs.ts";
import type { Deployment } from "../model/deployment.ts";
import { describeAllForGitHub } from "../model/problems/problem-text.ts";
import { codeBlock, escapeText, md } from "../redaction/markdown.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { renderSummary } from "../report/comment/render-comment.ts";
import { planFacts, renderPlanText } from "../report/plans/plan-text.ts";
import { renderReleases } from "../report/queries/releases.ts";
import { buildReview } from "../report/review/build-review.ts";
import { type ActionContext, readRepositoryUrl } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { previewOutputs } from "./reports/count-outputs.ts";

/** Lists the releases that a rollback can restore. GitHub's form can't list them. */
export async function listReleasesToRestore(
  deployment: Deployment,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world } = context;
  const target = await world.target(deployment);
  const listed = await listReleases(world, { target, deployment });
  const shown = listRollbackOptions(listed);
  const now = world.clock.now().toISOString();
  const { name, namespace } = deployment;
  const title = shown.length === 0 ? "no release to roll back to" : "releases to roll back to";
  const text = renderReleases(shown, { deployment: name, namespace, now, title });
  logLines(text);
  const start = md`Start the workflow again with one of these numbers as ${escapeText("revision")}.`;
  if (inputs.summary)
    writeSummary(md`${codeBlock("text", text.trimEnd().split("\n"))}\n\n${start}\n`, context);
  writeOutputs({ outcome: "no-change", changed: false }, context);
}

/** Shows the plan of a rollback as a pull request shows the plan of a deployment. */
export async function previewRollbackRun(
  deployment: Deployment,
  to: number | "previous",
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world, env, runUrl, commit } = context;
  const release = { to, allowFailed: inputs.request.allowFailed };
  const preview = await dryRunDeployment(world, deployment, { release }, inputs.request);
  const { planned, attributions } = preview;
  const now = world.clock.now().toISOString();
  const blockers = planned.executable ? [] : planned.blockers;
  const report: DeploymentReport = {
    ...{ deployment, problems: [], plan: planned.plan, attributions, blockers },
    findings: planned.findings,
    clusterState: { compared: true },
    release: planned.recorded?.current?.revision,
  };
  const repositoryUrl = readRepositoryUrl(env);
  const review = buildReview({
    ...{ deployments: [report], headCommit: commit, runUrl, repositoryUrl, now },
  });
  const target = describeRollbackTarget(preview, now) ?? `release ${to}`;
  const heading = `Preview of a rollback to ${target}. Nothing was changed.`;
  if (inputs.summary) writeSummary(md`${escapeText(heading)}\n\n${renderSummary(review)}`, context);
  const [section] = review.deployments;
  const known = { ...planFacts(report, section), now };
  const text =
    planned.plan === undefined
      ? "No plan"
      : renderPlanText(planned.plan, undefined, planned.findings, known);
  logLines(`${heading}\n${text}${describeAllForGitHub(blockers)}`);
  writeOutputs(previewOutputs(review), context);
  if (blockers.length > 0) process.exitCode = 1;
}
