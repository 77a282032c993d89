import type { LimitFunction } from "p-limit";
import type { Answer } from "../../model/cluster/api-failure.ts";
import { podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import { deletedAlong, type MadeObjects, productsOf } from "../../model/cluster/products.ts";
import { byUid, rootOf } from "../../model/cluster/root-owner.ts";
import type { Deletion } from "../../model/deletion.ts";
import { idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { readPodMakers } from "./pod-makers.ts";
import { mayMake, readMade } from "./read-made.ts";

/**
 * Which workloads still use which objects, by the live state: not everything in the cluster runs what was declared
 * last.
 */
export interface Usage {
  /** Returns the live Pods and workloads that name the object, without what goes with the deletion. */
  usersOf(id: ObjectId, deletion: Deletion): Promise<Answer<readonly User[]>>;
  /** Returns the deletion with what it would delete besides by now; `all` are those of the plan. */
  withProducts(deletion: Deletion, all: readonly Deletion[]): Promise<Deletion>;
  /** Is called when something was deleted: Pods may have been deleted with it. */
  invalidate(): void;
}

interface User {
  /** For messages. */
  readonly name: string;
  /** The key of its root owner: of the Deployment behind a Pod; its own if nothing controls it. */
  readonly root: string;
}

interface Users {
  /** By `Kind name` of what they use. */
  readonly byUsed: ReadonlyMap<string, readonly KubeObject[]>;
  /** Everything that makes Pods, by uid. */
  readonly known: ReadonlyMap<string, KubeObject>;
}

/**
 * Lists a namespace again for each question, since finalizers may have held back the deletions
 * before it for minutes. Questions that are asked at the same time share one answer.
 */
export function createUsage(cluster: Cluster, limit: LimitFunction): Usage {
  let time = 0;
  const now = () => time;
  const users = sharedReads(now, (namespace) => usersIn(cluster, limit, namespace));
  const made = sharedReads(now, (namespace) => readMade(cluster, limit, [namespace]));

  return {
    async usersOf(id, deletion) {
      const answer = await users(id.namespace);
      return answer.ok ? { ok: true, value: remainingUsers(id, deletion, answer.value) } : answer;
    },
    async withProducts(deletion, all) {
      if (!mayMake(deletion)) return deletion;
      return refreshed(deletion, all, await made(deletion.id.namespace));
    },
    invalidate: () => {
      time += 1;
    },
  };
}

function refreshed(deletion: Deletion, all: readonly Deletion[], made: MadeObjects): Deletion {
  const owners = all.map(({ live }) => live);
  return { ...deletion, products: productsOf(owners, made).get(deletion.uid) };
}

/** Reads are shared while they are under way, unless something was deleted after they began. */
function sharedReads<T>(
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

async function usersIn(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string,
): Promise<Answer<Users>> {
  const makers = await readPodMakers(cluster, limit, namespace);
  return makers.ok ? { ok: true, value: usersAmong(makers.value) } : makers;
}

function usersAmong(makers: readonly KubeObject[]): Users {
  const byUsed = new Map<string, Set<KubeObject>>();
  for (const maker of makers) {
    const spec = podSpecOf(maker)?.spec;
    for (const { kind, name } of spec === undefined ? [] : podReferences(spec)) {
      const found = byUsed.get(`${kind} ${name}`) ?? new Set<KubeObject>();
      byUsed.set(`${kind} ${name}`, found.add(maker));
    }
  }
  return {
    byUsed: new Map([...byUsed].map(([used, found]) => [used, [...found]])),
    known: byUid(makers),
  };
}

function remainingUsers(
  { kind, name }: ObjectId,
  deletion: Deletion,
  { byUsed, known }: Users,
): readonly User[] {
  const isDeleted = deletedAlong(deletion, [...known.values()]);
  const users = byUsed.get(`${kind} ${name}`) ?? [];
  return users
    .filter((user) => !isDeleted(user))
    .map((user) => ({ name: nameOf(idOf(user)), root: keyOf(idOf(rootOf(user, known))) }));
}
