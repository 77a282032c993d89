import pMap from "p-map";
import type { LiveObjects } from "../model/release.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { orphanedReplicas } from "../plan/ownership/orphaned-pods.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { allowsOrphans, isStatefulSet } from "../ssa/steps/orphan.ts";

/**
 * Reads the number of replicas of each missing StatefulSet whose Pods might still run, by its key.
 * If this identity can't list Pods, the manifest decides.
 */
export async function readOrphanedReplicas(
  cluster: Cluster,
  declared: readonly DeclaredObject[],
  live: LiveObjects,
  concurrency: number,
): Promise<ReadonlyMap<string, number>> {
  const missing = declared.filter(
    ({ key, object }) => !live.has(key) && isStatefulSet(object) && allowsOrphans(object),
  );
  const counts = await pMap(
    missing,
    async ({ key, object, id }) => {
      const listed = await cluster.list("v1", "Pod", id.namespace);
      const count = listed.ok ? orphanedReplicas(object, listed.value.items) : undefined;
      return count === undefined ? [] : [[key, count] as const];
    },
    { concurrency },
  );
  return new Map(counts.flat());
}
