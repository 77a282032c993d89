import { readPodTemplates } from "../apply/deletion/pod-makers.ts";
import { createGate } from "../apply/gate.ts";
import type { KubeObject } from "../model/object.ts";
import type { PodUsers } from "../plan/deletions/kept.ts";
import type { Cluster } from "../ports.ts";

/**
 * Who may still use what is kept. Where that may not be read a plan is made all the same: then nothing that might be
 * used is deleted.
 */
export async function readPodUsers(
  cluster: Cluster,
  namespaces: readonly string[],
  concurrency: number,
): Promise<PodUsers> {
  const gate = createGate(concurrency);
  const read = namespaces.map(
    async (namespace): Promise<[string, readonly KubeObject[] | string]> => {
      const answer = await readPodTemplates(cluster, gate, namespace);
      return [namespace, answer.ok ? answer.value : answer.failure.message];
    },
  );
  return new Map(await Promise.all(read));
}
