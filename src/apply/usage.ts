import type { ObjectId } from "../model/object.ts";
import { idOf, type KubeObject, nameOf } from "../model/object.ts";
import { podReferences } from "../model/pod-references.ts";
import { podSpecOf } from "../model/pod-spec.ts";
import type { Answer, Cluster } from "../ports.ts";
import type { Gate } from "./gate.ts";
import { readPodMakers } from "./pod-makers.ts";

/** Who still needs what, by what lives in the cluster: not everything there runs what was declared last. */
export interface Usage {
  /** Whether an object of this kind can be needed by Pods by its name. */
  concerns(id: ObjectId): boolean;
  /** The live Pods and workloads that name the object, as people call them. */
  usersOf(id: ObjectId): Promise<Answer<readonly string[]>>;
  /** To be called when something is gone: it may have taken Pods along. */
  outdate(): void;
}

interface Look {
  readonly time: number;
  readonly users: Promise<Answer<Users>>;
}

/** By `Kind name`. */
type Users = ReadonlyMap<string, readonly string[]>;

const usedKinds: ReadonlySet<string> = new Set([
  "ConfigMap",
  "Secret",
  "PersistentVolumeClaim",
  "ServiceAccount",
]);

/** Looks at each namespace once, and again only to confirm that something is used after other objects have gone. */
export function createUsage(cluster: Cluster, gate: Gate): Usage {
  const looks = new Map<string, Look>();
  let time = 0;

  async function look(namespace: string, atLeast: number): Promise<Answer<Users>> {
    const known = looks.get(namespace);
    if (known !== undefined && known.time >= atLeast) return known.users;
    const users = usersIn(cluster, gate, namespace);
    looks.set(namespace, { time, users });
    return users;
  }

  async function find(id: ObjectId, atLeast: number): Promise<Answer<readonly string[]>> {
    const answer = await look(id.namespace, atLeast);
    if (!answer.ok) return answer;
    return { ok: true, value: answer.value.get(`${id.kind} ${id.name}`) ?? [] };
  }

  return {
    concerns: ({ group, kind }) => group === "" && usedKinds.has(kind),
    async usersOf(id) {
      const first = await find(id, 0);
      return first.ok && first.value.length > 0 ? find(id, time) : first;
    },
    outdate: () => {
      time += 1;
    },
  };
}

async function usersIn(cluster: Cluster, gate: Gate, namespace: string): Promise<Answer<Users>> {
  const makers = await readPodMakers(cluster, gate, namespace);
  return makers.ok ? { ok: true, value: usersAmong(makers.value) } : makers;
}

function usersAmong(makers: readonly KubeObject[]): Users {
  const users = new Map<string, Set<string>>();
  for (const maker of makers) {
    const spec = podSpecOf(maker)?.spec;
    for (const { kind, name } of spec === undefined ? [] : podReferences(spec)) {
      const known = users.get(`${kind} ${name}`) ?? new Set();
      users.set(`${kind} ${name}`, known.add(nameOf(idOf(maker))));
    }
  }
  return new Map([...users].map(([used, names]) => [used, [...names]]));
}
