import type { LimitFunction } from "p-limit";
import type { Answer } from "../../model/cluster/api-failure.ts";
import { podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import { byUid, rootOf } from "../../model/cluster/root-owner.ts";
import { idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { readPodMakers } from "./pod-makers.ts";

/**
 * Which workloads still use which objects, by the live state: not everything in the cluster runs what was declared
 * last.
 */
export interface Usage {
  /** The live Pods and workloads that name the object. */
  usersOf(id: ObjectId): Promise<Answer<readonly User[]>>;
  /** Is called when something was deleted: Pods may have been deleted with it. */
  invalidate(): void;
}

interface User {
  /** For messages. */
  readonly name: string;
  /** The key of its root owner: of the Deployment behind a Pod; its own if nothing controls it. */
  readonly root: string;
}

interface Look {
  readonly time: number;
  readonly users: Promise<Answer<Users>>;
}

/** By `Kind name`. */
type Users = ReadonlyMap<string, readonly User[]>;

/** Lists each namespace once, and again only to confirm that something is used after other objects were deleted. */
export function createUsage(cluster: Cluster, limit: LimitFunction): Usage {
  const looks = new Map<string, Look>();
  let time = 0;

  async function look(namespace: string, atLeast: number): Promise<Answer<Users>> {
    const known = looks.get(namespace);
    if (known !== undefined && known.time >= atLeast) return known.users;
    const users = usersIn(cluster, limit, namespace);
    looks.set(namespace, { time, users });
    return users;
  }

  async function find(id: ObjectId, atLeast: number): Promise<Answer<readonly User[]>> {
    const answer = await look(id.namespace, atLeast);
    if (!answer.ok) return answer;
    return { ok: true, value: answer.value.get(`${id.kind} ${id.name}`) ?? [] };
  }

  return {
    async usersOf(id) {
      const first = await find(id, 0);
      return first.ok && first.value.length > 0 ? find(id, time) : first;
    },
    invalidate: () => {
      time += 1;
    },
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
    const user = { name: nameOf(idOf(maker)), root: keyOf(idOf(rootOf(maker, known))) };
    for (const { kind, name } of spec === undefined ? [] : podReferences(spec)) {
      const known = users.get(`${kind} ${name}`) ?? new Map<string, User>();
      users.set(`${kind} ${name}`, known.set(user.name, user));
    }
  }
  return new Map([...users].map(([used, found]) => [used, [...found.values()]]));
}
