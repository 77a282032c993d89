import { idOf, type KubeObject, keyOf, uidOf } from "../../../../src/model/object.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { changedFields, readLive } from "../../compare.ts";

/** The live objects of a deployment and its PersistentVolumeClaims, by key. */
export type State = ReadonlyMap<string, KubeObject>;

/** Reads the objects that exist, and all PersistentVolumeClaims of the namespace. */
export async function readState(
  cluster: Cluster,
  objects: readonly KubeObject[],
  namespace: string,
): Promise<State> {
  // A plan can create and delete CustomResourceDefinitions.
  cluster.forgetKinds();
  const claims = await cluster.list("v1", "PersistentVolumeClaim", namespace);
  if (!claims.ok) throw new Error(claims.failure.message);
  const found = await Promise.all(objects.map((object) => readLive(cluster, object)));
  const live = [...found.flatMap((object) => object ?? []), ...claims.value.items];
  return new Map(live.map((object) => [keyOf(idOf(object)), object]));
}

/** The difference of one object between two states. */
export interface Difference {
  readonly key: string;
  /** `fields` if the same object has other values; `object` if it is another one, or missing. */
  readonly of: "object" | "fields";
  readonly fields: readonly string[];
}

/** Compares two states: which objects exist, and the fields that controllers haven't written. */
export function differencesBetween(before: State, after: State): readonly Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly Difference[] => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was === undefined || is === undefined) return [{ key, of: "object", fields: [] }];
    const fields = changedFields(was, is);
    if (uidOf(was) !== uidOf(is)) return [{ key, of: "object", fields }];
    return fields.length === 0 ? [] : [{ key, of: "fields", fields }];
  });
}
