import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

type Kind = readonly [apiVersion: string, kind: string];

/** The kinds that run or create Pods. Pods are first, because they would break. */
export const podMakerKinds: readonly Kind[] = [
  ["v1", "Pod"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
];

/** Argo Rollouts. qvs also lists them if the cluster serves the kind. */
export const rolloutKind: Kind = ["argoproj.io/v1alpha1", "Rollout"];

/**
 * Lists the Pods that run or will run, and the objects that create more of them.
 * Without a namespace, it lists all namespaces.
 */
export async function readPodMakers(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<readonly KubeObject[]>> {
  const makers = await readPodTemplates(cluster, limit, namespace);
  return makers.ok ? { ok: true, value: makers.value.filter(isNotHistory) } : makers;
}

/** Lists the same objects and also old ReplicaSets, to which a user can roll back. */
export async function readPodTemplates(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<readonly KubeObject[]>> {
  const rollout = await limit(() => servedRollouts(cluster));
  if (!rollout.ok) return rollout;
  const lists = await Promise.all(
    [...podMakerKinds, ...rollout.value].map(([apiVersion, kind]) =>
      limit(() => cluster.list(apiVersion, kind, namespace)),
    ),
  );
  const refused = lists.find((list) => !list.ok);
  if (refused !== undefined) return refused;
  const objects = lists.flatMap((list) => (list.ok ? list.value.items : []));
  return { ok: true, value: objects.filter(isActive) };
}

/** Returns the served version of Argo Rollouts, which most clusters don't have. */
async function servedRollouts(cluster: Cluster): Promise<ApiResult<readonly Kind[]>> {
  const answer = await cluster.preferredKind("argoproj.io", rolloutKind[1]);
  if (answer.ok)
    return { ok: true, value: [[`argoproj.io/${answer.value.version}`, rolloutKind[1]]] };
  return answer.failure.reason === "unknown-kind" ? { ok: true, value: [] } : answer;
}

/**
 * Reports whether an object is not an old ReplicaSet. Old ReplicaSets create Pods only after a
 * rollback.
 */
function isNotHistory(object: KubeObject): boolean {
  return object.kind !== "ReplicaSet" || numberAt(object, "spec", "replicas") !== 0;
}

/** Reports whether an object can start containers. Finished Pods and Jobs don't start any. */
function isActive(object: KubeObject): boolean {
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) return false;
  switch (object.kind) {
    case "Pod":
      return !["Succeeded", "Failed"].includes(textAt(object, "status", "phase") ?? "");
    case "Job":
      return !listAt(object, "status", "conditions").some(saysFinished);
    default:
      return true;
  }
}

function saysFinished(condition: Json): boolean {
  const type = textAt(condition, "type") ?? "";
  return ["Complete", "Failed"].includes(type) && textAt(condition, "status") === "True";
}
