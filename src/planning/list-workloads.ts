import pLimit from "p-limit";
import { readPodTemplates } from "../apply/deletion/pod-makers.ts";
import type { KubeObject } from "../model/object.ts";
import type { WorkloadsByNamespace } from "../plan/deletions/kept.ts";
import type { Cluster } from "../ports/kubernetes.ts";

/**
 * Who may still use what is kept. Where that may not be read a plan is made all the same: then nothing that might be
 * used is deleted.
 */
export async function listWorkloads(
  cluster: Cluster,
  namespaces: readonly string[],
  concurrency: number,
): Promise<WorkloadsByNamespace> {
  const limit = pLimit(concurrency);
  const read = namespaces.map(
    async (namespace): Promise<[string, readonly KubeObject[] | string]> => {
      const answer = await readPodTemplates(cluster, limit, namespace);
      return [namespace, answer.ok ? answer.value : answer.failure.message];
    },
  );
  return new Map(await Promise.all(read));
}
