import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "../../ports/world.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { listRecorded } from "../../runs/queries/list-recorded.ts";
import { deploymentAt } from "../../runs/queries/locate-deployment.ts";
import { listDeployments } from "../../sources/list-deployments.ts";

/** Somebody waits at a Tab: a cluster that is slow to answer completes nothing. */
const patienceMs = 2_000;

/** Which deployments are meant by the line so far. */
interface Where {
  readonly deployment: string | undefined;
  readonly namespace: string | undefined;
  readonly context: string | undefined;
}

/** What the cluster has recorded, by one LIST of metadata; nothing where it can't be asked. */
export async function recordedWhere(
  world: World,
  where: Where,
): Promise<readonly RecordedDeployment[]> {
  const enough = new AbortController();
  const patience = sleep(patienceMs, [], { signal: enough.signal }).catch(() => []);
  const found = await Promise.race([read(world, where).catch(() => []), patience]);
  enough.abort();
  return found;
}

/** An entry of this repository's list says where a deployment is. */
async function read(world: World, where: Where): Promise<readonly RecordedDeployment[]> {
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  const entry = (listed.ok ? listed.value : []).find(({ name }) => name === where.deployment);
  const context = where.context ?? entry?.context;
  const namespace = where.namespace ?? entry?.namespace;
  const { cluster } = await world.target(deploymentAt("", namespace ?? "", context));
  const { deployments } = await listRecorded(cluster, namespace);
  const named = deployments.filter(({ name }) => name === where.deployment);
  return where.deployment === undefined ? deployments : named;
}
