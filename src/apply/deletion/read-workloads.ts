import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { isFinishedPod } from "../../model/cluster/pods.ts";
import { type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { type KindRef, rolloutKind, workloadKinds } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/**
 * Lists the Pods that run or will run, and the objects that create more of them.
 * Without a namespace, it lists all namespaces.
 */
export async function readWorkloads(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<readonly KubeObject[]>> {
  const workloads = await readWorkloadsWithHistory(cluster, limit, namespace);
  return workloads.ok ? { ok: true, value: workloads.value.filter(isNotOldReplicaSet) } : workloads;
}

/** Lists the same objects and also old ReplicaSets, to which a user can roll back. */
export async function readWorkloadsWithHistory(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<readonly KubeObject[]>> {
  const listed = await listWorkloads(cluster, limit, namespace);
  return listed.ok ? { ok: true, value: listed.value.filter(isActive) } : listed;
}

/** Objects that use others now: workloads that continue, and Pods that are shutting down. */
export interface CurrentWorkloads {
  readonly active: readonly KubeObject[];
  readonly terminatingPods: readonly KubeObject[];
}

/** Lists the same objects as `readWorkloads`, and the Pods that are terminating. */
export async function readCurrentWorkloads(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<CurrentWorkloads>> {
  const listed = await listWorkloads(cluster, limit, namespace);
  if (!listed.ok) return listed;
  const active = listed.value.filter((object) => isActive(object) && isNotOldReplicaSet(object));
  return { ok: true, value: { active, terminatingPods: listed.value.filter(isTerminatingPod) } };
}

/** Lists all workloads, also those that ended or are being deleted. */
async function listWorkloads(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<readonly KubeObject[]>> {
  const rollout = await limit(() => servedRollouts(cluster));
  if (!rollout.ok) return rollout;
  const lists = await Promise.all(
    [...workloadKinds, ...rollout.value].map(([apiVersion, kind]) =>
      limit(() => cluster.list(apiVersion, kind, namespace)),
    ),
  );
  const denied = lists.find((list) => !list.ok);
  if (denied !== undefined) return denied;
  return { ok: true, value: lists.flatMap((list) => (list.ok ? list.value.items : [])) };
}

/** Returns the served version of Argo Rollouts, which most clusters don't have. */
async function servedRollouts(cluster: Cluster): Promise<ApiResult<readonly KindRef[]>> {
  const answer = await cluster.preferredKind("argoproj.io", rolloutKind[1]);
  if (answer.ok)
    return { ok: true, value: [[`argoproj.io/${answer.value.version}`, rolloutKind[1]]] };
  return answer.failure.reason === "unknown-kind" ? { ok: true, value: [] } : answer;
}

/**
 * Reports whether an object is not an old ReplicaSet. Old ReplicaSets create Pods only after a
 * rollback.
 */
function isNotOldReplicaSet(object: KubeObject): boolean {
  return object.kind !== "ReplicaSet" || numberAt(object, "spec", "replicas") !== 0;
}

/** Reports whether an object can start containers. Finished Pods and Jobs don't start any. */
function isActive(object: KubeObject): boolean {
  if (isBeingDeleted(object)) return false;
  switch (object.kind) {
    case "Pod":
      return !isFinishedPod(object);
    case "Job":
      return !listAt(object, "status", "conditions").some(isFinishedCondition);
    default:
      return true;
  }
}

/** Reports whether containers of a Pod might still run, although the Pod is being deleted. */
function isTerminatingPod(object: KubeObject): boolean {
  return object.kind === "Pod" && isBeingDeleted(object) && !isFinishedPod(object);
}

function isBeingDeleted(object: KubeObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

function isFinishedCondition(condition: Json): boolean {
  const type = textAt(condition, "type") ?? "";
  return ["Complete", "Failed"].includes(type) && textAt(condition, "status") === "True";
}
