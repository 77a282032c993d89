import pMap from "p-map";
import { deploymentLabel, managedByLabel, managedByValue } from "../../model/annotations.ts";
import { lockName, readLockState } from "../../model/cluster/deployment-lock.ts";
import type { LockState } from "../../model/deployment-state.ts";
import { idOf, label } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { concurrency } from "./list-recorded.ts";

/** The locks by `namespace/name` of the deployment. */
type Locks = ReadonlyMap<string, LockState>;

/**
 * Reads the held locks in these namespaces, with one LIST if that is allowed. Returns none if RBAC
 * denies access to Leases.
 */
export async function readLocks(
  cluster: Cluster,
  namespaces: readonly string[],
  now: Date,
): Promise<Locks> {
  if (namespaces.length > 1) {
    const all = await listLocks(cluster, undefined, now);
    if (all !== undefined) return new Map(all);
  }
  const each = await pMap(namespaces, (namespace) => listLocks(cluster, namespace, now), {
    concurrency,
  });
  return new Map(each.flatMap((locks) => locks ?? []));
}

async function listLocks(
  cluster: Cluster,
  namespace: string | undefined,
  now: Date,
): Promise<readonly (readonly [string, LockState])[] | undefined> {
  const selector = `${managedByLabel}=${managedByValue},${deploymentLabel}`;
  const answer = await cluster.list("coordination.k8s.io/v1", "Lease", namespace, selector);
  if (!answer.ok) return undefined;
  return answer.value.items.flatMap((lease) => {
    const deployment = label(lease, deploymentLabel) ?? "";
    const state = readLockState(lease, now);
    if (state === undefined || idOf(lease).name !== lockName(deployment)) return [];
    return [[`${idOf(lease).namespace}/${deployment}`, state] as const];
  });
}
