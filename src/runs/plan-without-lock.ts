import type { Deployment } from "../model/deployment.ts";
import {
  type DesiredState,
  type PlannedDeployment,
  planDeployment,
} from "../planning/plan-deployment.ts";
import type { Target, World } from "../ports/world.ts";
import { contextBeforeLock, rulesOf } from "./planning-context.ts";
import type { DeployOptions } from "./with-lock.ts";

/** The plan that a deployment or a rollback would execute now, with every dry-run that a preview makes. Writes nothing. */
export async function planWithoutLock(
  world: World,
  { target, deployment, options }: Subject,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  const rules = rulesOf(world, options, "all");
  return planDeployment(await contextBeforeLock(world, target, deployment, rules), desired);
}

interface Subject {
  readonly target: Target;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}
