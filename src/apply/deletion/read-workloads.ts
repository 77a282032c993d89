import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { findProducts, type ListedProducts } from "../../model/cluster/owned-objects.ts";
import { isBeingDeleted } from "../../model/cluster/pending-deletion.ts";
import { isFinishedPod } from "../../model/cluster/pods.ts";
import {
  canStartContainers,
  indexWorkloads,
  type Workloads,
} from "../../model/cluster/still-used.ts";
import { numberAt } from "../../model/json.ts";
import { type KindRef, rolloutKind, workloadKinds } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { isCustomKind, readProducts } from "./read-dependents.ts";

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
  return listed.ok ? { ok: true, value: listed.value.filter(canStartContainers) } : listed;
}

/** Objects that use others now: workloads that continue, and Pods that are shutting down. */
interface CurrentWorkloads {
  readonly active: readonly KubeObject[];
  readonly terminatingPods: readonly KubeObject[];
}

/** Lists the same objects as `readWorkloads`, and the Pods that are terminating. */
async function readCurrentWorkloads(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string | undefined,
): Promise<ApiResult<CurrentWorkloads>> {
  const listed = await listWorkloads(cluster, limit, namespace);
  if (!listed.ok) return listed;
  const active = listed.value.filter(
    (object) => canStartContainers(object) && isNotOldReplicaSet(object),
  );
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

/** Reports whether containers of a Pod might still run, although the Pod is being deleted. */
function isTerminatingPod(object: KubeObject): boolean {
  return object.kind === "Pod" && isBeingDeleted(object) && !isFinishedPod(object);
}

/** The workloads of a namespace, and its Pods that are shutting down. */
interface FreshWorkloads {
  readonly active: Workloads;
  readonly terminatingPods: Workloads;
}

/** Reads of the live state, because the plan might be an hour old. */
export interface FreshReads {
  /** Lists the workloads of a namespace. Not every one runs its latest declaration. */
  workloads(namespace: string): Promise<ApiResult<FreshWorkloads>>;
  /**
   * Updates the list of objects that Kubernetes deletes with this one.
   * `all` are the deletions of the plan.
   */
  withProducts(deletion: Deletion, all: readonly Deletion[]): Promise<Deletion>;
  /** Discards shared reads after a deletion, which might have deleted Pods, too. */
  invalidate(): void;
}

/**
 * Creates reads that list a namespace again for each question.
 * Finalizers might have delayed the earlier deletions for minutes. Concurrent questions share one
 * answer.
 */
export function createFreshReads(cluster: Cluster, limit: LimitFunction): FreshReads {
  let time = 0;
  const now = () => time;
  const products = shareReads(now, (namespace) => readProducts(cluster, limit, [namespace]));
  return {
    workloads: shareReads(now, async (namespace) => {
      const read = await readCurrentWorkloads(cluster, limit, namespace);
      if (!read.ok) return read;
      const { active, terminatingPods } = read.value;
      const value = {
        active: indexWorkloads(active),
        terminatingPods: indexWorkloads(terminatingPods),
      };
      return { ok: true, value };
    }),
    async withProducts(deletion, all) {
      if (!isCustomKind(deletion)) return deletion;
      return withCurrentProducts(deletion, all, await products(deletion.id.namespace));
    },
    invalidate: () => {
      time += 1;
    },
  };
}

function withCurrentProducts(
  deletion: Deletion,
  all: readonly Deletion[],
  products: ListedProducts,
): Deletion {
  const owners = all.map(({ live }) => live);
  return { ...deletion, products: findProducts(owners, products).get(deletion.uid) };
}

/** Shares a read while it runs, unless an object was deleted after its start. */
function shareReads<T>(
  now: () => number,
  read: (namespace: string) => Promise<T>,
): (namespace: string) => Promise<T> {
  const running = new Map<string, { readonly time: number; readonly answer: Promise<T> }>();
  return (namespace) => {
    const known = running.get(namespace);
    if (known?.time === now()) return known.answer;
    const answer = read(namespace).finally(() => {
      if (running.get(namespace)?.answer === answer) running.delete(namespace);
    });
    running.set(namespace, { time: now(), answer });
    return answer;
  };
}
