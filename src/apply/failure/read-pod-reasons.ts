import pMap from "p-map";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { podLabels, podReasonAmong } from "./pod-reason.ts";

/**
 * Reads why the Pods of these workloads don't start.
 * It sends one LIST of Pods for each namespace of a workload. An object has no reason if the list
 * fails.
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
