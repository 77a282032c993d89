import type { LimitFunction } from "p-limit";
import type { Answer } from "../../model/cluster/api-failure.ts";
import { podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import { goesWith, type MadeObjects, productsOf } from "../../model/cluster/products.ts";
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
  /** The live Pods and workloads that name the object. */
  usersOf(id: ObjectId): Promise<Answer<readonly User[]>>;
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
  /** Reports whether the user, or what controls it, is deleted with this. */
  readonly goesWith: (deletion: Deletion) => boolean;
}

/** By `Kind name`. */
type Users = ReadonlyMap<string, readonly User[]>;

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
    async usersOf(id) {
      const answer = await users(id.namespace);
      if (!answer.ok) return answer;
      return { ok: true, value: answer.value.get(`${id.kind} ${id.name}`) ?? [] };
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
  const known = byUid(makers);
  const users = new Map<string, Map<string, User>>();
  for (const maker of makers) {
    const spec = podSpecOf(maker)?.spec;
    const root = rootOf(maker, known);
    const user = {
      name: nameOf(idOf(maker)),
      root: keyOf(idOf(root)),
      goesWith: (deletion: Deletion) => goesWith(maker, deletion) || goesWith(root, deletion),
    };
    for (const { kind, name } of spec === undefined ? [] : podReferences(spec)) {
      const known = users.get(`${kind} ${name}`) ?? new Map<string, User>();
      users.set(`${kind} ${name}`, known.set(user.name, user));
    }
  }
  return new Map([...users].map(([used, found]) => [used, [...found.values()]]));
}
