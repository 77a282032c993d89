import pMap from "p-map";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { podLabels, podReasonAmong } from "./pod-reason.ts";

/**
 * Why the Pods of these objects do not start, where any is a workload and Pods may be listed: one LIST of Pods per namespace that has
 * such an object.
 */
export async function readPodReasons(
  cluster: Cluster,
  objects: readonly KubeObject[],
  concurrency: number,
): Promise<(object: KubeObject) => string | undefined> {
  const workloads = objects.filter((object) => podLabels(object) !== undefined);
  const namespaces = [...new Set(workloads.map((object) => idOf(object).namespace))];
  const answers = await pMap(
    namespaces,
    async (namespace) => [namespace, await cluster.list("v1", "Pod", namespace)] as const,
    { concurrency },
  );
  const pods = new Map(answers);
  return (object) => {
    const answer = pods.get(idOf(object).namespace);
    return answer?.ok === true ? podReasonAmong(object, answer.value.items) : undefined;
  };
}
