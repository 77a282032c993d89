import { at, listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf, type ObjectId, uidOf } from "../../model/object.ts";
import { podReferences } from "../../model/pod-references.ts";
import { podSpecOf } from "../../model/pod-spec.ts";
import type { Answer, Cluster } from "../../ports.ts";
import type { Gate } from "../gate.ts";
import { readPodMakers } from "./pod-makers.ts";

/** Who still needs what, by what lives in the cluster: not everything there runs what was declared last. */
export interface Usage {
  /** Whether an object of this kind can be needed by Pods by its name. */
  concerns(id: ObjectId): boolean;
  /** The live Pods and workloads that name the object. */
  usersOf(id: ObjectId): Promise<Answer<readonly User[]>>;
  /** To be called when something is gone: it may have taken Pods along. */
  outdate(): void;
}

interface User {
  /** As people call it. */
  readonly name: string;
  /** The key of what it goes with: of the Deployment behind a Pod; its own where nothing controls it. */
  readonly root: string;
}

interface Look {
  readonly time: number;
  readonly users: Promise<Answer<Users>>;
}

/** By `Kind name`. */
type Users = ReadonlyMap<string, readonly User[]>;

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

  async function find(id: ObjectId, atLeast: number): Promise<Answer<readonly User[]>> {
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
  const byUid = new Map(makers.map((maker) => [uidOf(maker), maker]));
  const users = new Map<string, Map<string, User>>();
  for (const maker of makers) {
    const spec = podSpecOf(maker)?.spec;
    const user = { name: nameOf(idOf(maker)), root: keyOf(idOf(rootOf(maker, byUid))) };
    for (const { kind, name } of spec === undefined ? [] : podReferences(spec)) {
      const known = users.get(`${kind} ${name}`) ?? new Map<string, User>();
      users.set(`${kind} ${name}`, known.set(user.name, user));
    }
  }
  return new Map([...users].map(([used, found]) => [used, [...found.values()]]));
}

function rootOf(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): KubeObject {
  const owners = listAt(object, "metadata", "ownerReferences");
  const controller = owners.find((owner) => at(owner, "controller") === true);
  const found = byUid.get(textAt(controller, "uid") ?? "");
  return found === undefined || found === object ? object : rootOf(found, byUid);
}
