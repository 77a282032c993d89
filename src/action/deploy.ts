import { deploy } from "../commands/deploy.ts";
import { levelsOf } from "../config/deployment-levels.ts";
import { annotate } from "../io/github/annotations.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import { approvedPlansOf, type FoundApprovals } from "./approvals/found-approvals.ts";
import type { ActionContext } from "./context.ts";
import { deployAndReport, type ToDeploy } from "./deploy-and-report.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { toDeployOn, writeListOutputs } from "./list.ts";
import { recordOnGitHub } from "./reports/record-on-github.ts";

/** push: what it changed, dependencies first. Any other event: every deployment that the inputs choose. */
export async function deployEvent(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { all, deployments, notices } = await toDeployOn(event, inputs, context);
  annotate(notices, "warning", "QVS");
  writeListOutputs(levelsOf(deployments, all));
  if (deployments.length === 0) logLines("No deployment has changed.");
  const onGitHub = recordOnGitHub(inputs, context);
  const found = deployments.length === 0 ? undefined : await findApprovals(event, inputs, context);
  const deployOne: ToDeploy["deployOne"] = (one, deployment) =>
    onGitHub.around(deployment, (announce) => {
      const options = withApprovals(inputs, found, deployment.name);
      return deploy(one, deployment, inputs.inline, { ...options, announce });
    });
  const toDeploy = { deployments, listed: all, deployOne };
  await deployAndReport(toDeploy, event, inputs, context).finally(onGitHub.told);
}

/** What a person has given to this very run counts more than what was merged. */
function withApprovals(
  { approvedPlan, options }: Inputs,
  found: FoundApprovals | undefined,
  deployment: string,
): Inputs["options"] {
  if (found === undefined || approvedPlan === "off") return options;
  return { ...options, expected: approvedPlansOf(found, deployment, approvedPlan) };
}
