import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { nameOf } from "../model/object.ts";
import type { Plan } from "../model/plan/plan.ts";
import { catchProblems } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { problemDetails } from "../model/problems/problem-text.ts";
import { deleteCommand } from "../model/text/qvs-commands.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { emptyDesiredState } from "../planning/desired-state.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { World } from "../ports/world.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { contextBeforeLock } from "./create-planning-context.ts";

/**
 * Previews the removal of a deployment from the list, by its inventory.
 * Returns the plan of the deletion if the merge deletes it. Otherwise it returns the objects that
 * stay, with the command that deletes exactly those. Undefined means that the cluster can't be read
 * or contains no objects of it.
 */
export async function previewRemoval(
  world: World,
  deployment: Deployment,
  request: PlanningRequest,
): Promise<Partial<DeploymentReport> | undefined> {
  const deletes = deployment.onRemoved === "delete";
  // The merge must not delete a deployment that another repository has taken over.
  const planned = await planDeletion(world, deployment, {
    ...request,
    adopt: request.adopt && !deletes,
  });
  const plan = planned?.plan;
  if (planned === undefined || plan === undefined) return undefined;
  if (plan.deletions.length + plan.kept.length + plan.changes.length === 0) return undefined;
  if (!deletes || !planned.executable)
    return { orphanWarnings: [orphanWarning(deployment, plan, planned)] };
  const { findings, recorded } = planned;
  const release = recorded.current?.revision;
  const clusterState = { compared: true } as const;
  return { removal: "delete", plan, findings, clusterState, release, orphanWarnings: [] };
}

/**
 * Plans the deletion of a deployment. Returns undefined if its cluster can't be opened. Writes
 * nothing.
 */
export async function planDeletion(
  world: World,
  deployment: Deployment,
  request: PlanningRequest,
): Promise<PlannedDeployment | undefined> {
  const opened = await catchProblems(() => world.target(deployment));
  if (!opened.ok) return undefined;
  const policy = { ...request.policy, keepRevisions: undefined };
  const context = await contextBeforeLock(world, opened.value, deployment, { ...request, policy });
  const preview = { ...context, purpose: "preview", timeoutMs: undefined } as const;
  return planDeployment(preview, emptyDesiredState);
}

function orphanWarning(deployment: Deployment, plan: Plan, planned: PlannedDeployment): Problem {
  const { name, namespace, context, onRemoved } = deployment;
  const place = `namespace ${namespace}${context === undefined ? "" : ` of context ${context}`}`;
  const { deletions, kept } = plan;
  const all = [...deletions, ...kept].map(({ id }) => nameOf(id)).toSorted();
  const stay = kept.map(({ id }) => nameOf(id)).toSorted();
  const blockers = planned.executable ? [] : planned.blockers;
  const counted = deletions.length === 1 ? "1 object" : `${deletions.length} objects`;
  const although = onRemoved === "delete" ? ", although on-removed is delete" : "";
  return {
    code: "orphaned-deployment",
    where: [],
    what: `Removed deployment "${name}" leaves its objects in ${place}`,
    why: `qvs doesn't delete them${although}`,
    facts: [
      { label: "objects", value: summarizeList(all, maxNames) },
      ...(stay.length === 0 ? [] : [{ label: "still kept", value: summarizeList(stay, maxNames) }]),
      ...blockers.map((blocker) => ({ label: "blocked by", value: problemDetails(blocker) })),
    ],
    fix: `Run this after the merge to delete ${counted}: ${deleteCommand(deployment, plan.digest)}`,
  };
}

/** The most names in the message. More don't help a reader. */
const maxNames = 10;
