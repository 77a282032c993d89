import { awaitHealthy } from "../../deploying/queries/await-healthy.ts";
import { listRecorded } from "../../deploying/queries/list-recorded.ts";
import {
  type LocatedDeployment,
  notRecordedError,
} from "../../deploying/queries/locate-deployment.ts";
import { readDeployments } from "../../deploying/queries/read-deployments.ts";
import { type DeploymentState, isHealthyDeployment } from "../../model/deployment-state.ts";
import type { World } from "../../ports/world.ts";
import { secretStrings } from "../../releases/queries/hidden-strings.ts";
import { readReleases } from "../../releases/store.ts";

/**
 * Returns the state of one deployment with each object. Throws a UserError if the deployment isn't
 * recorded.
 */
export async function readStatus(
  world: World,
  { target, deployment }: LocatedDeployment,
): Promise<DeploymentState> {
  const { name, namespace } = deployment;
  const { deployments } = await listRecorded(target.cluster, namespace);
  const recorded = deployments.filter((each) => each.name === name);
  const [state] = await readDeployments(world, target, recorded);
  if (state === undefined) throw await notRecordedError(target, deployment);
  return state;
}

/** Returns the state when every object is ready that can become ready, or after `timeoutMs`. */
export async function watchStatus(
  world: World,
  located: LocatedDeployment,
  timeoutMs: number,
): Promise<DeploymentState> {
  const state = await readStatus(world, located);
  if (isHealthyDeployment(state)) return state;
  const releases = await readReleases(located.target.cluster, located.deployment, world);
  const hides = releases.ok ? releases.value.releases.flatMap(secretStrings) : [];
  await awaitHealthy(world, located, state, { timeoutMs, hides });
  return readStatus(world, located);
}
