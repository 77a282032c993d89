import type { DeploymentState } from "../model/queries.ts";
import type { World } from "../ports/world.ts";
import { listRecorded } from "../runs/queries/list-recorded.ts";
import { type Located, notRecorded } from "../runs/queries/locate-deployment.ts";
import { readDeployments } from "../runs/queries/read-deployments.ts";

/** What runs of one deployment now, object by object. Throws a UserError where nothing is recorded of it. */
export async function readStatus(
  world: World,
  { target, deployment }: Located,
): Promise<DeploymentState> {
  const { name, namespace } = deployment;
  const { deployments } = await listRecorded(target.cluster, namespace);
  const recorded = deployments.filter((each) => each.name === name);
  const [state] = await readDeployments(world, target, recorded);
  if (state === undefined) throw await notRecorded(target, deployment);
  return state;
}
