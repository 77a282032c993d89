import pMap from "p-map";
import type { Answer } from "../model/cluster/api-failure.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { samplePod } from "./sample-pod.ts";

/**
 * What the server says to one Pod of each changed template, by the key of the change: a workload is accepted whose every Pod is
 * refused. Those are missing of which no Pod can be made up, or whose refusal says nothing.
 */
export async function dryRunPods(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, Answer<KubeObject>>> {
  const answers = await pMap(
    changes,
    async (change) => [change.key, await dryRunPod(cluster, change)] as const,
    { concurrency },
  );
  return new Map(
    answers.flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer] as const])),
  );
}

/** undefined where the object makes no Pods, or not others than before, or where its template is not known yet. */
export async function dryRunPod(
  cluster: Cluster,
  change: Change,
): Promise<Answer<KubeObject> | undefined> {
  const pod = samplePod(change);
  return pod === undefined ? undefined : cluster.create(pod, { dryRun: true });
}
