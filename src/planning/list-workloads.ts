import pLimit from "p-limit";
import { readWorkloadsWithHistory } from "../apply/deletion/read-workloads.ts";
import type { KubeObject } from "../model/object.ts";
import type { WorkloadsByNamespace } from "../plan/deletions/kept-objects.ts";
import type { Cluster } from "../ports/kubernetes.ts";

/**
 * Lists the workloads that might still use kept objects, by namespace.
 * If qvs can't list them, it makes a plan anyway, and deletes nothing that might be in use.
 */
export async function listWorkloads(
  cluster: Cluster,
  namespaces: readonly string[],
  concurrency: number,
): Promise<WorkloadsByNamespace> {
  const limit = pLimit(concurrency);
  const read = namespaces.map(
    async (namespace): Promise<[string, readonly KubeObject[] | string]> => {
      const answer = await readWorkloadsWithHistory(cluster, limit, namespace);
      return [namespace, answer.ok ? answer.value : answer.failure.message];
    },
  );
  return new Map(await Promise.all(read));
}
