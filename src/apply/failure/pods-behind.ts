import { type Json, listAt, textAt } from "../../model/json.ts";
import { annotation, groupOf, idOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports.ts";
import { podLabels } from "./pod-reason.ts";

export interface PodsBehind {
  /** The newest one, where the object rolls out by ReplicaSets. */
  readonly replicaSet: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
}

/** The Pods that an object's readiness hangs on: those of its newest ReplicaSet, its own, or itself. */
export async function podsBehind(cluster: Cluster, object: KubeObject): Promise<PodsBehind> {
  const kind = `${groupOf(object.apiVersion)}/${object.kind}`;
  if (kind === "/Pod") return { replicaSet: undefined, pods: [object] };
  if (podLabels(object) === undefined) return { replicaSet: undefined, pods: [] };
  if (kind !== "apps/Deployment" && kind !== "argoproj.io/Rollout") {
    return { replicaSet: undefined, pods: await owned(cluster, "v1", "Pod", object, object) };
  }
  const sets = await owned(cluster, "apps/v1", "ReplicaSet", object, object);
  const replicaSet = sets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (replicaSet === undefined) return { replicaSet, pods: [] };
  return { replicaSet, pods: await owned(cluster, "v1", "Pod", object, replicaSet) };
}

/** Objects of a kind that `workload` selects and `owner` owns; none where they may not be listed. */
async function owned(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
  workload: KubeObject,
  owner: KubeObject,
): Promise<readonly KubeObject[]> {
  const labels = Object.entries(podLabels(workload) ?? {});
  const selector = labels.map(([name, value]) => `${name}=${String(value)}`).join(",");
  const answer = await cluster.list(apiVersion, kind, idOf(workload).namespace, selector);
  if (!answer.ok) return [];
  return answer.value.items.filter((item) => ownersOf(item).includes(uidOf(owner)));
}

/** By revision, not by age: going back to an earlier template revives an old ReplicaSet under a new number. */
function revisionOf(replicaSet: KubeObject): number {
  const names = ["deployment.kubernetes.io/revision", "rollout.argoproj.io/revision"];
  return Math.max(0, ...names.map((name) => Number(annotation(replicaSet, name) ?? 0)));
}

function ownersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "ownerReferences").map((o: Json) => textAt(o, "uid") ?? "");
}
