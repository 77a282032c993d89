import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { indexByUid, rootOwner } from "../../model/cluster/garbage-collected.ts";
import { podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import {
  deletedWithOwner,
  findProducts,
  type ListedProducts,
} from "../../model/cluster/products.ts";
import type { Deletion } from "../../model/deletion.ts";
import { idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { isCustomKind, readProducts } from "./read-products.ts";
import { readWorkloads } from "./read-workloads.ts";

/**
 * The workloads that use an object, based on the live state.
 * Not every workload in the cluster runs its latest declaration.
 */
export interface ObjectUsage {
  /**
   * Returns the live Pods and workloads that use the object, except those deleted along with it.
   */
  findUsers(id: ObjectId, deletion: Deletion): Promise<ApiResult<readonly ObjectUser[]>>;
  /**
   * Updates the list of objects that are deleted along with this one.
   * `all` are the deletions of the plan.
   */
  withProducts(deletion: Deletion, all: readonly Deletion[]): Promise<Deletion>;
  /** Discards shared reads after a deletion, which might have deleted Pods, too. */
  invalidate(): void;
}

interface ObjectUser {
  /** The name for messages. */
  readonly name: string;
  /** The key of the root owner, such as the Deployment of a Pod. Without an owner, its own key. */
  readonly root: string;
}

interface UsersByObject {
  /** The users by `Kind name` of the object that they use. */
  readonly byUsed: ReadonlyMap<string, readonly KubeObject[]>;
  /** All objects that create Pods, by UID. */
  readonly known: ReadonlyMap<string, KubeObject>;
}

/**
 * Creates a usage that lists a namespace again for each question.
 * Finalizers might have delayed the earlier deletions for minutes. Concurrent questions share one
 * answer.
 */
export function createObjectUsage(cluster: Cluster, limit: LimitFunction): ObjectUsage {
  let time = 0;
  const now = () => time;
  const users = shareReads(now, (namespace) => readUsers(cluster, limit, namespace));
  const products = shareReads(now, (namespace) => readProducts(cluster, limit, [namespace]));

  return {
    async findUsers(id, deletion) {
      const answer = await users(id.namespace);
      return answer.ok ? { ok: true, value: remainingUsers(id, deletion, answer.value) } : answer;
    },
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

async function readUsers(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string,
): Promise<ApiResult<UsersByObject>> {
  const workloads = await readWorkloads(cluster, limit, namespace);
  return workloads.ok ? { ok: true, value: groupUsers(workloads.value) } : workloads;
}

function groupUsers(workloads: readonly KubeObject[]): UsersByObject {
  const byUsed = new Map<string, Set<KubeObject>>();
  for (const workload of workloads) {
    const spec = podSpecOf(workload)?.spec;
    for (const { kind, name } of spec === undefined ? [] : podReferences(spec)) {
      const found = byUsed.get(`${kind} ${name}`) ?? new Set<KubeObject>();
      byUsed.set(`${kind} ${name}`, found.add(workload));
    }
  }
  return {
    byUsed: new Map([...byUsed].map(([used, found]) => [used, [...found]])),
    known: indexByUid(workloads),
  };
}

function remainingUsers(
  { kind, name }: ObjectId,
  deletion: Deletion,
  { byUsed, known }: UsersByObject,
): readonly ObjectUser[] {
  const isDeleted = deletedWithOwner(deletion, [...known.values()]);
  const users = byUsed.get(`${kind} ${name}`) ?? [];
  return users
    .filter((user) => !isDeleted(user))
    .map((user) => ({ name: nameOf(idOf(user)), root: keyOf(idOf(rootOwner(user, known))) }));
}
