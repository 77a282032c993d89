import pMap from "p-map";
import { apiProblem } from "../model/cluster/api-failure.ts";
import { nameOf } from "../model/object.ts";
import { failed, ok, type Result, resultProblems } from "../model/problems/problem.ts";
import type { LiveObjects } from "../model/release.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { orphanedReplicas } from "../plan/ownership/orphaned-pods.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { allowsOrphans, isStatefulSet } from "../ssa/steps/orphan.ts";

interface OrphanCount {
  readonly key: string;
  /** Undefined if there are no such Pods. */
  readonly count: number | undefined;
}

/**
 * Reads the number of replicas of each missing StatefulSet whose Pods might still run, by its key.
 * Without this number, its controller could delete Pods and their data.
 */
export async function readOrphanedReplicas(
  cluster: Cluster,
  declared: readonly DeclaredObject[],
  live: LiveObjects,
  concurrency: number,
): Promise<Result<ReadonlyMap<string, number>>> {
  const missing = declared.filter(
    ({ key, object }) => !live.has(key) && isStatefulSet(object) && allowsOrphans(object),
  );
  const counts = await pMap(
    missing,
    async ({ key, object, id }): Promise<Result<OrphanCount>> => {
      const listed = await cluster.list("v1", "Pod", id.namespace);
      if (!listed.ok)
        return failed([apiProblem(cluster, `list the Pods of ${nameOf(id)}`, listed.failure)]);
      return ok({ key, count: orphanedReplicas(object, listed.value.items) });
    },
    { concurrency },
  );
  const problems = counts.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const known = counts.flatMap((each) =>
    each.ok && each.value.count !== undefined ? [[each.value.key, each.value.count] as const] : [],
  );
  return ok(new Map(known));
}
