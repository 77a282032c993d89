import { apiProblem } from "../model/cluster/api-failure.ts";
import { fieldManager, type Plan } from "../model/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import { releaseNamespaceChange } from "../planning/checks/check-result.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { requireExecutable } from "../planning/planned-deployment.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { planWithoutLock } from "./plan-without-lock.ts";
import type { LockedRun } from "./with-lock.ts";

/**
 * Creates the namespace for the lock and the releases if the deployment itself declares it.
 * This is the first change of the plan, before qvs can take the lock. If anything blocks the rest
 * of the plan, it throws a UserError and creates nothing. Returns the plan, or undefined if the
 * deployment doesn't declare the namespace.
 */
export async function createReleaseNamespace(
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
