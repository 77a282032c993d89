import type { Removals } from "../commands/delete-removed.ts";
import { deploy } from "../commands/deploy.ts";
import { deploymentLevels } from "../config/deployment-levels.ts";
import { annotate } from "../io/github/annotations.ts";
import { branchOfRef } from "../io/github/branch.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { listingIn } from "../sources/find-listing.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import { approvedPlansOf, type FoundApprovals, noApprovals } from "./approvals/found-approvals.ts";
import type { ActionContext } from "./context.ts";
import { deployAndReport, type ToDeploy } from "./deploy-and-report.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { deletionLevels, toDeployOn, writeListOutputs } from "./list.ts";
import { recordOnGitHub } from "./reports/record-on-github.ts";

/**
 * Deploys what a push changed, dependencies first. For other events, it deploys every deployment
 * that the inputs choose.
 */
export async function deployEvent(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { all, deployments, notices, removals } = await toDeployOn(event, inputs, context);
  annotate(notices, "warning", "QVS");
  writeListOutputs([...deploymentLevels(deployments, all), ...deletionLevels(removals)], context);
  const isRemoved = removals.removed.length > 0;
  if (deployments.length === 0 && !isRemoved) logLines("No deployment has changed.");
  const listing = listingIn(context.world, branchOf(event), inputs.adjusted);
  const onGitHub = recordOnGitHub(inputs, context);
  const found = deployments.length === 0 ? undefined : await findApprovals(event, inputs, context);
  const deployOne: ToDeploy["deployOne"] = (one, deployment) =>
    onGitHub.around(deployment, (announce) => {
      const approved = withApprovals(inputs, found, deployment.name);
      // Without a token, qvs can't read the list on the branch. Only deletions report that.
      const asks = inputs.token === "" ? {} : { listing };
      return deploy(one, deployment, inputs.inline, { ...approved, ...asks, announce });
    });
  const approvedOf = isRemoved ? await approvedRemovals(event, inputs, context, found) : undefined;
  const options = { ...inputs.options, listing };
  const deleting = { byPush: removals, listed: all, options, onDeleted: onGitHub.deleted };
  const toDelete = approvedOf && { ...deleting, approvedOf };
  const toDeploy = {
    does: "deploy",
    deployments,
    listed: all,
    deployOne,
    removals: toDelete,
  } as const;
  await deployAndReport(toDeploy, event, inputs, context).finally(onGitHub.told);
}

/** Returns the branch of the event. `taskFor` lets only events with a `ref` deploy. */
function branchOf(event: GitHubEvent): string {
  return "ref" in event ? branchOfRef(event.ref) : "";
}

/**
 * Finds the approvals of deletions. Regardless of the policy for deployments, qvs deletes only what
 * a merged pull request has shown.
 */
async function approvedRemovals(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
  known: FoundApprovals | undefined,
): Promise<Removals["approvedOf"]> {
  const options = { ...inputs.options, expected: undefined };
  const asked = { ...inputs, approvedPlan: "require", options } as const;
  const found = known ?? (await findApprovals(event, asked, context)) ?? noApprovals("");
  return (name) => approvedPlansOf(found, name, "require");
}

/**
 * Adds the approvals to the options of one deployment. A digest that was passed to this run takes
 * precedence over merged pull requests.
 */
function withApprovals(
  { approvedPlan, options }: Inputs,
  found: FoundApprovals | undefined,
  deployment: string,
): Inputs["options"] {
  if (found === undefined || approvedPlan === "off") return options;
  return { ...options, expected: approvedPlansOf(found, deployment, approvedPlan) };
}
