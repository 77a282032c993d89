import { InvalidArgumentError } from "commander";
import { dryRunDeployment } from "../commands/dry-run.ts";
import { listReleases, listRollbackOptions } from "../commands/queries/releases.ts";
import { type RollbackChoice, rollback } from "../commands/rollback.ts";
import { describeRollbackTarget } from "../deploying/plan-without-lock.ts";
import { parseRevision } from "../inputs/parse.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs, writeSummary } from "../io/github/step-outputs.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { describeAllForGitHub } from "../model/problems/problem-text.ts";
import { codeBlock, escapeText, md } from "../redaction/markdown.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { renderSummary } from "../report/comment/render-comment.ts";
import { planFacts, renderPlanText } from "../report/plans/plan-text.ts";
import { renderReleases } from "../report/queries/releases.ts";
import { buildReview } from "../report/review/build-review.ts";
import { listDeployments } from "../sources/list-deployments.ts";
import { type ActionContext, readRepositoryUrl } from "./context.ts";
import { type DeploymentRun, deployAndReport } from "./deploy-and-report.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { invalidValue } from "./inputs/parse-inputs.ts";
import { previewOutputs } from "./reports/count-outputs.ts";
import { recordOnGitHub } from "./reports/record-on-github.ts";

/**
 * Deploys a recorded release of one deployment, on workflow_dispatch with a revision. Without a
 * revision, it lists the releases. With `dry-run`, it shows the plan.
 */
export async function rollBack(inputs: Inputs, context: ActionContext): Promise<void> {
  const { world } = context;
  const to = inputs.revision === "" ? undefined : parseTarget(inputs.revision);
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const chosen = inputs.choose(listed.value).map(inputs.adjusted);
  const [only] = chosen;
  if (only === undefined || chosen.length !== 1) {
    throw new UserError([
      {
        code: "ambiguous-selection",
        where: [],
        what: "A rollback needs exactly one deployment",
        facts: [{ label: "selected", value: `${chosen.length}` }],
        fix: `Set the input deployment to one of ${listed.value.map(({ name }) => name).join(", ")}`,
      },
    ]);
  }
  if (to === undefined) return listReleasesToRestore(only, inputs, context);
  if (inputs.dryRun) return previewRollbackRun(only, to, inputs, context);
  const onGitHub = recordOnGitHub(inputs, context);
  const deployOne: DeploymentRun["deployOne"] = (one, deployment) =>
    onGitHub.recordRun(deployment, (announce) =>
      rollback(one, deployment, to, inputs.request, announce),
    );
  const does = "rollback" as const;
  const toDeploy = { does, deployments: chosen, listed: listed.value, deployOne };
  await deployAndReport(toDeploy, undefined, inputs, context).finally(onGitHub.flush);
}

/**
 * Parses everything that a user can write, and `previous@TIME`, which the command in a comment
 * sends. Its run can wait for other runs and for reviewers, so `previous` means the release before
 * the one that was current at that time.
 */
function parseTarget(text: string): RollbackChoice {
  const [, at] = /^previous@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(text) ?? [];
  if (at !== undefined) return { to: "previous", requested: { at } };
  try {
    return { to: parseRevision(text) };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UserError([invalidValue("revision", text, error)]);
  }
}

/** Lists the releases that a rollback can restore. GitHub's form can't list them. */
async function listReleasesToRestore(
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
async function previewRollbackRun(
  deployment: Deployment,
  chosen: RollbackChoice,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world, env, runUrl, commit } = context;
  const release = { ...chosen, allowFailed: inputs.request.allowFailed };
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
  const target = describeRollbackTarget(preview, now) ?? `release ${chosen.to}`;
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
