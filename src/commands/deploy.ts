import { chartCapabilities } from "../deploying/chart-capabilities.ts";
import { compileDesiredState } from "../deploying/compile-desired-state.ts";
import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import { executePlan } from "../deploying/execute-plan.ts";
import { planWithoutLock } from "../deploying/plan-without-lock.ts";
import { rollBackAfterFailure } from "../deploying/roll-back-after-failure.ts";
import {
  type Announce,
  type DeployContext,
  type LockedRun,
  withLock,
} from "../deploying/with-lock.ts";
import { apiProblem } from "../model/cluster/api/api-failure.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { toApproval } from "../model/plan/approval.ts";
import { fieldManager, type Plan } from "../model/plan/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import { releaseNamespaceChange } from "../planning/checks/check-result.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { requireExecutable } from "../planning/planned-deployment.ts";
import type { TargetCluster, World } from "../ports/world.ts";

/**
 * Deploys: compiles, plans, records, applies appSetup and app, deletes, and records the outcome.
 * Throws a UserError if nothing was changed.
 */
export async function deploy(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  request: DeployRequest,
  announce?: Announce,
): Promise<DeployOutcome> {
  const target = connectEarly(world, deployment);
  world.progress(deployment).report({ type: "preparing", step: "compiling" });
  const capabilities = chartCapabilities(world, deployment, () => target, { request });
  const desired = await compileDesiredState(world, deployment, inline, capabilities);
  world.progress(deployment).report({ type: "preparing", step: "reading" });
  let begun: Plan | undefined;
  const createNamespace = async () => {
    begun = await createReleaseNamespace(world, target, { deployment, request }, desired);
    return begun !== undefined;
  };
  const planBeforeLock = async () =>
    planWithoutLock(world, { target: await target, deployment, request }, desired);
  const does = "deploy" as const;
  const before = { desired: async () => desired, planBeforeLock, createNamespace };
  const run = { target, deployment, request, does, announce, ...before };
  return withLock(world, run, async (context) => {
    const rest = approveRest(context, begun);
    const created = begun && releaseNamespaceChange(begun, deployment)?.key;
    const outcome = await executePlan(world, { ...rest, createdBeforeLock: created }, desired);
    return request.onFailure === "rollback"
      ? rollBackAfterFailure(world, context, outcome)
      : outcome;
  });
}

/**
 * Returns the context with the rest of a started plan as the approved plan.
 * The whole plan was compared with the approval before its first change, so the rest alone no
 * longer matches that. Later changes in the cluster aren't part of the approval.
 */
function approveRest(context: DeployContext, begun: Plan | undefined): DeployContext {
  const { request, deployment } = context;
  const { expected } = request;
  if (begun === undefined || expected?.policy !== "require") return context;
  const done = releaseNamespaceChange(begun, deployment)?.key;
  const { digest, operations = [] } = begun;
  const rest = toApproval({ digest, operations: operations.filter(({ key }) => key !== done) });
  const approvals = expected.approvals.map(({ by }) => ({ by, ...rest }));
  return { ...context, request: { ...request, expected: { ...expected, approvals } } };
}

/**
 * Connects to the cluster while the engine compiles, so that credentials, TLS and discovery take no
 * extra time. Its errors are reported when the target is needed, after errors of the config.
 */
function connectEarly(world: World, deployment: Deployment): Promise<TargetCluster> {
  const target = world.target(deployment);
  target.then(({ cluster }) => cluster.kind("v1", "Secret")).catch(() => {});
  return target;
}

/**
 * Creates the namespace for the lock and the releases if the deployment itself declares it.
 * This is the first change of the plan, before qvs can take the lock. If anything blocks the rest
 * of the plan, it throws a UserError and creates nothing. Returns the plan, or undefined if the
 * deployment doesn't declare the namespace.
 */
async function createReleaseNamespace(
  world: World,
  opened: Promise<TargetCluster>,
  { deployment, request }: Pick<LockedRun, "deployment" | "request">,
  desired: DesiredState,
): Promise<Plan | undefined> {
  const target = await opened;
  const planned = await planWithoutLock(world, { target, deployment, request }, desired);
  if (!planned.executable && planned.superseded !== undefined)
    throw new UserError([planned.superseded]);
  if (planned.plan === undefined) requireExecutable(planned);
  const { name, namespace } = deployment;
  const change = planned.plan && releaseNamespaceChange(planned.plan, deployment);
  if (change === undefined) return undefined;
  const { plan } = requireExecutable(planned);
  world.signal.throwIfAborted();
  const manager = fieldManager(name, change.stage);
  const applyOptions = { fieldManager: manager, dryRun: false, force: false };
  const answer = await target.cluster.apply(change.desired, applyOptions);
  if (answer.ok) return plan;
  throw new UserError([
    apiProblem(target.cluster, `create namespace ${namespace}`, answer.failure),
  ]);
}
