import { apiProblem } from "../model/cluster/api-failure.ts";
import { fieldManager, type Plan } from "../model/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import { releaseNamespaceChange } from "../planning/checks/checked.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { executableOnly } from "../planning/planned-deployment.ts";
import type { Target, World } from "../ports/world.ts";
import { planWithoutLock } from "./plan-without-lock.ts";
import type { DeployRequest } from "./with-lock.ts";

/**
 * The namespace that a deployment keeps its lock and its releases in, where the deployment declares it itself: the first change of
 * the plan, before the lock can be taken. What would keep the rest of the plan from being executed keeps it from being created,
 * too: then this throws a UserError. Returns that plan, or undefined when the deployment does not declare the namespace.
 */
export async function createReleaseNamespace(
  world: World,
  opened: Promise<Target>,
  { deployment, options }: Pick<DeployRequest, "deployment" | "options">,
  desired: DesiredState,
): Promise<Plan | undefined> {
  const target = await opened;
  const planned = await planWithoutLock(world, { target, deployment, options }, desired);
  if (!planned.executable && planned.superseded !== undefined)
    throw new UserError([planned.superseded]);
  if (planned.plan === undefined) executableOnly(planned);
  const { name, namespace } = deployment;
  const change = planned.plan && releaseNamespaceChange(planned.plan, deployment);
  if (change === undefined) return undefined;
  const { plan } = executableOnly(planned);
  world.signal.throwIfAborted();
  const manager = fieldManager(name, change.stage);
  const how = { fieldManager: manager, dryRun: false, force: false };
  const answer = await target.cluster.apply(change.desired, how);
  if (answer.ok) return plan;
  throw new UserError([
    apiProblem(target.cluster, `create namespace ${namespace}`, answer.failure),
  ]);
}
