import type { Removals } from "../commands/delete-removed.ts";
import { deploy } from "../commands/deploy.ts";
import { createDeclaredElsewhere } from "../commands/several/declared-elsewhere.ts";
import { deploymentLevels } from "../config/deployment-levels.ts";
import { annotate } from "../io/github/annotations.ts";
import { branchName } from "../io/github/branch.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { createListingLookup } from "../sources/find-listing.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import {
  type FoundApprovals,
  noApprovals,
  selectApprovedPlans,
} from "./approvals/found-approvals.ts";
import type { ActionContext } from "./context.ts";
import { type DeploymentRun, deployAndReport } from "./deploy-and-report.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { deletionLevels, listDeploymentsToDeploy, writeListOutputs } from "./list-changed.ts";
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
  const { all, deployments, notices, removals, listTogether } = await listDeploymentsToDeploy(
    event,
    inputs,
    context,
  );
  annotate(notices, "warning", "QVS");
  writeListOutputs([...deploymentLevels(deployments, all), ...deletionLevels(removals)], context);
  const isRemoved = removals.removed.length > 0;
  if (deployments.length === 0 && !isRemoved) logLines("No deployment has changed.");
  const listing = createListingLookup(context.world, eventBranch(event), inputs.adjusted);
  const onGitHub = recordOnGitHub(inputs, context);
  const found = deployments.length === 0 ? undefined : await findApprovals(event, inputs, context);
  const declaredElsewhere = createDeclaredElsewhere(context.world, {
    ...{ all, listTogether, inline: inputs.inline, purpose: "deploy" },
  });
  const deployOne: DeploymentRun["deployOne"] = (one, deployment) =>
    onGitHub.recordRun(deployment, (announce) => {
      const approved = withApprovals(inputs, found, deployment.name);
      // Without a token, qvs can't read the list on the branch. Only deletions report that.
      const asking = { ...one, declaredElsewhere, ...(inputs.token === "" ? {} : { listing }) };
      return deploy(asking, deployment, inputs.inline, approved, announce);
    });
  const findRemovalApprovals = isRemoved
    ? await approveRemovals(event, inputs, context, found)
    : undefined;
  const { request } = inputs;
  const deleting = {
    ...{ byPush: removals, listed: all, request, listing },
    onDeleted: onGitHub.deleted,
  };
  const toDelete = findRemovalApprovals && { ...deleting, approvedOf: findRemovalApprovals };
  const toDeploy = {
    does: "deploy",
    deployments,
    listed: all,
    deployOne,
    removals: toDelete,
  } as const;
  await deployAndReport(toDeploy, event, inputs, context).finally(onGitHub.flush);
}

/** Returns the branch of the event. `chooseTask` lets only events with a `ref` deploy. */
function eventBranch(event: GitHubEvent): string {
  return "ref" in event ? branchName(event.ref) : "";
}

/**
 * Finds the approvals of deletions. Regardless of the policy for deployments, qvs deletes only what
 * a merged pull request has shown.
 */
async function approveRemovals(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
  known: FoundApprovals | undefined,
): Promise<Removals["approvedOf"]> {
  const request = { ...inputs.request, expected: undefined };
  const requiring = { ...inputs, approvedPlan: "require", request } as const;
  const found = known ?? (await findApprovals(event, requiring, context)) ?? noApprovals("");
  return (name) => selectApprovedPlans(found, name, "require");
}

/**
 * Adds the approvals to the request of one deployment. A digest that was passed to this run takes
 * precedence over merged pull requests.
 */
function withApprovals(
  { approvedPlan, request }: Inputs,
  found: FoundApprovals | undefined,
  deployment: string,
): Inputs["request"] {
  if (found === undefined || approvedPlan === "off") return request;
  return { ...request, expected: selectApprovedPlans(found, deployment, approvedPlan) };
}
