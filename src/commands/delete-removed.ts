import { levelsForDeletion } from "../config/deployment-levels.ts";
import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import { planDeletion } from "../deploying/preview-removal.ts";
import { type DeployRequest, defaultRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment, ListingLookup } from "../model/deployments/deployment.ts";
import { type ApprovedPlans, codeAction } from "../model/plan/approval.ts";
import { catchProblems } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import { problemDetails } from "../model/problems/problem-text.ts";
import { removedByCommit } from "../planning/desired-state.ts";
import type { World } from "../ports/world.ts";
import { readReleases } from "../releases/store.ts";
import {
  notDeleted,
  type RemovedByPush,
  type RemovedDeployment,
} from "../sources/removed-by-push.ts";
import { deleteDeployment } from "./delete-deployment.ts";
import { type DeploymentOutcome, hasSucceeded, wasSuperseded } from "./several/deploy-changed.ts";
import { attempt } from "./several/run-in-order.ts";

export interface Removals {
  readonly byPush: RemovedByPush;
  /** All deployments in the current list. */
  readonly listed: readonly Deployment[];
  readonly request: DeployRequest;
  /** Looks up whether the newest commit of the branch lists a deployment again. */
  readonly listing: ListingLookup;
  /** Returns the plans of a deployment that merged pull requests approved. */
  readonly approvedOf: (deployment: string) => ApprovedPlans;
  /** Called for each deleted deployment. It must not throw or block. */
  readonly onDeleted?: ((deployment: Deployment) => void) | undefined;
}

/**
 * Deletes the deployments that a push removed from the list, after everything else is deployed.
 * Dependents are deleted before their dependencies.
 * Each deletion must match the plan on a merged pull request, whatever the policy for deployments.
 * It uses the same planner, protection, lock and record as `qvs delete`. A deployment that isn't
 * deleted isn't a failure: its notice contains the command that deletes it.
 */
export async function deleteRemoved(
  world: World,
  removals: Removals,
  deployed: readonly DeploymentOutcome[],
): Promise<readonly DeploymentOutcome[]> {
  const { removed, before } = removals.byPush;
  const stopped = deployed.find((each) => !hasSucceeded(each) || wasSkipped(each));
  const outcomes = new Map<string, DeploymentOutcome>();
  const ordered = levelsForDeletion(
    removed.map(({ deployment }) => deployment),
    before,
  ).flat();
  for (const deployment of ordered) {
    const { keptBecause } = removed.find(
      (each) => each.deployment === deployment,
    ) as RemovedDeployment;
    const stays = keptBecause ?? (await stayReason(world, deployment, removals, stopped, outcomes));
    const outcome: DeploymentOutcome =
      stays === undefined
        ? await deleteOne(world, deployment, removals)
        : { type: "not deleted", deployment, why: stays };
    outcomes.set(deployment.name, outcome);
  }
  return [...outcomes.values()];
}

/**
 * Reports whether the deployment stays and blocks another job, which would delete one of its
 * dependencies.
 */
export function blocksLaterJobs(
  outcome: DeploymentOutcome,
  { byPush, listed }: Pick<Removals, "byPush" | "listed">,
): boolean {
  if (outcome.type !== "not deleted") return false;
  const others = new Set(
    [...listed, ...byPush.removed.map((each) => each.deployment)].map(deploymentName),
  );
  return byPush.before.some(
    ({ name, onRemoved }) =>
      outcome.deployment.dependsOn.includes(name) && onRemoved === "delete" && !others.has(name),
  );
}

function deploymentName({ name }: Deployment): string {
  return name;
}

/**
 * Reports whether a newer run or commit superseded this run, which must then not decide about the
 * newer list.
 */
function wasSkipped(outcome: DeploymentOutcome): boolean {
  return wasSuperseded(outcome) || supersededNotice(outcome) !== undefined;
}

function supersededNotice(outcome: DeploymentOutcome): Problem | undefined {
  if (outcome.type !== "done" || outcome.outcome.type !== "superseded") return undefined;
  return outcome.outcome.why;
}

function stoppedReason(stopped: DeploymentOutcome): string {
  const { name } = stopped.deployment;
  const why = supersededNotice(stopped);
  if (why === undefined || why.code === "run-superseded")
    return `${name} wasn't deployed: run this again after it is deployed`;
  return `this run is late and skipped ${name}: ${problemDetails(why)}`;
}

/** Returns the reason not to delete the deployment, before any plan is made. */
async function stayReason(
  world: World,
  deployment: Deployment,
  { byPush: { before }, listed, approvedOf, request }: Removals,
  stopped: DeploymentOutcome | undefined,
  outcomes: ReadonlyMap<string, DeploymentOutcome>,
): Promise<Problem | undefined> {
  const { name } = deployment;
  if (stopped !== undefined) return notDeleted(deployment, stoppedReason(stopped));
  const present = new Set(listed.map(deploymentName));
  const dependents = before.filter(
    (each) => each.dependsOn.includes(name) && !present.has(each.name),
  );
  for (const dependent of dependents) {
    const why = await dependentReason(world, dependent, deployment, outcomes.get(dependent.name));
    if (why !== undefined)
      return notDeleted(deployment, `${dependent.name} depends on it and ${why}`);
  }
  const known = new Set(before.map(deploymentName));
  const added = listed.filter((each) => !known.has(each.name) && isSamePlace(each, deployment));
  for (const each of added)
    if (!(await isDeployed(world, each)))
      return notDeleted(
        deployment,
        `the new deployment ${each.name} might adopt its objects, and isn't deployed yet`,
      );
  const { approvals, missing } = approvedOf(name);
  if (approvals.some(approvesOnlyDeletions)) return undefined;
  return deletionNotice(world, deployment, request, [
    "no merged pull request showed its deletion",
    ...missing,
  ]);
}

/**
 * Reports whether the approved plan only deletes, with the hooks that only a deletion runs. A plan
 * without operations passes too, because only the exact same plan matches it.
 */
function approvesOnlyDeletions({ operations }: ApprovedPlans["approvals"][number]): boolean {
  return operations === undefined || operations.every(isOfDeletion);
}

function isOfDeletion(code: string): boolean {
  return ["delete", "hook"].includes(codeAction(code));
}

/**
 * Returns the reason why a dependent still counts as present.
 * A removal without `on-removed: delete` deletes nothing. If another job deletes the dependent,
 * only its cluster can confirm the deletion.
 */
async function dependentReason(
  world: World,
  dependent: Deployment,
  deployment: Deployment,
  outcome: DeploymentOutcome | undefined,
): Promise<string | undefined> {
  const isThere = "still exists";
  if (outcome !== undefined) return hasSucceeded(outcome) ? undefined : isThere;
  if (dependent.onRemoved !== "delete") return `${isThere}, because its removal deletes nothing`;
  if (!hasClusterAccess(dependent, deployment))
    return "might still exist: this job can't access the cluster of its environment";
  const history = await readHistory(world, dependent);
  if (history === undefined) return "might still exist: qvs couldn't read its releases";
  return history.releases.some(({ inventory }) => inventory.length > 0) ? isThere : undefined;
}

/**
 * Reports whether this job can access the dependent's cluster. A job has the credentials of its own
 * environment only. There, the same context, or none, can mean another cluster.
 */
function hasClusterAccess(dependent: Deployment, { environment, context }: Deployment): boolean {
  if (dependent.environment === environment) return true;
  return dependent.context !== undefined && dependent.context !== context;
}

function isSamePlace(one: Deployment, other: Deployment): boolean {
  return one.environment === other.environment && one.context === other.context;
}

async function isDeployed(world: World, deployment: Deployment): Promise<boolean> {
  return (await readHistory(world, deployment))?.newest?.status === "succeeded";
}

/** Reads the releases. Returns undefined if they can't be read. */
async function readHistory(world: World, deployment: Deployment) {
  const opened = await catchProblems(() => world.target(deployment));
  if (!opened.ok) return undefined;
  const recorded = await readReleases(opened.value.cluster, deployment, world);
  return recorded.ok ? recorded.value : undefined;
}

async function deleteOne(
  world: World,
  deployment: Deployment,
  { request, listing, approvedOf, onDeleted }: Removals,
): Promise<DeploymentOutcome> {
  const approved = approvedOf(deployment.name);
  const expected = { ...approved, policy: "require" as const };
  const deletes = { ...previewedRequest(request), expected };
  const work = () => deleteDeployment({ ...world, listing }, deployment, deletes, removedByCommit);
  const done = await attempt(deployment, work, world);
  if (done.type === "done") {
    const { outcome } = done;
    if (outcome.type === "nothing left" || isDeleted(outcome)) onDeleted?.(deployment);
    if (outcome.type === "nothing left") return { type: "nothing left", deployment };
    return { type: "done", deployment, outcome, deletes: true };
  }
  if (done.type === "broken" || !done.problems.some(({ code }) => isUncertainty(code))) return done;
  const reasons = done.problems.map(problemDetails);
  const why = await deletionNotice(world, deployment, request, reasons);
  return { type: "not deleted", deployment, why };
}

function isDeleted(outcome: DeployOutcome): boolean {
  return outcome.type === "deployed" && outcome.result.succeeded;
}

/**
 * Returns the request that the preview used. It doesn't adopt a deployment that another repository
 * has taken over.
 */
function previewedRequest(request: DeployRequest): DeployRequest {
  const policy = { ...request.policy, keepRevisions: undefined };
  return { ...request, policy, adopt: false, onlyStage: undefined, onFailure: "keep" };
}

const uncertaintyCodes: readonly ProblemCode[] = [
  ...(["plan-changed", "plan-not-approved"] as const),
  ...(["older-commit", "commit-order-unknown", "deployment-source-mismatch"] as const),
];

function isUncertainty(code: ProblemCode): boolean {
  return uncertaintyCodes.includes(code);
}

/**
 * Returns the notice with the deletion command and, if planning works, the digest of the current
 * plan.
 */
async function deletionNotice(
  world: World,
  deployment: Deployment,
  { policy }: DeployRequest,
  reasons: readonly string[],
): Promise<Problem> {
  const planned = await catchProblems(() =>
    planDeletion(world, deployment, { ...defaultRequest, policy }),
  );
  const plan = planned.ok && planned.value?.executable ? planned.value.plan : undefined;
  return notDeleted(deployment, reasons.join("; "), plan?.digest);
}
