import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "../../ports/world.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { listRecorded } from "../../runs/queries/list-recorded.ts";
import { minimalDeployment } from "../../runs/queries/locate-deployment.ts";
import { listDeployments } from "../../sources/list-deployments.ts";

/**
 * The time in milliseconds that a Tab waits for the cluster. A slower cluster completes nothing.
 */
const patienceMs = 2_000;

/** The deployments that the line so far selects. */
interface LineSelection {
  readonly deployment: string | undefined;
  readonly namespace: string | undefined;
  readonly context: string | undefined;
}

/**
 * Lists the recorded deployments with one LIST of metadata. Returns none if the cluster doesn't
 * answer.
 */
export async function listRecordedInTime(
  world: World,
  where: LineSelection,
): Promise<readonly RecordedDeployment[]> {
  const enough = new AbortController();
  const patience = sleep(patienceMs, [], { signal: enough.signal }).catch(() => []);
  const found = await Promise.race([read(world, where).catch(() => []), patience]);
  enough.abort();
  return found;
}

/**
 * Lists the recorded deployments. An entry of the repository's list provides the context and the
 * namespace.
 */
async function read(world: World, where: LineSelection): Promise<readonly RecordedDeployment[]> {
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  const entry = (listed.ok ? listed.value : []).find(({ name }) => name === where.deployment);
  const context = where.context ?? entry?.context;
  const namespace = where.namespace ?? entry?.namespace;
  const { cluster } = await world.target(minimalDeployment("", namespace ?? "", context));
  const { deployments } = await listRecorded(cluster, namespace);
  const named = deployments.filter(({ name }) => name === where.deployment);
  return where.deployment === undefined ? deployments : named;
}
