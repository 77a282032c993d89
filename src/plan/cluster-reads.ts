import { isCrd } from "../model/cluster/namespaces-and-crds.ts";
import { groupOf, type ObjectAddress } from "../model/object.ts";
import type { InventoryEntry } from "../model/release.ts";
import type { DeclaredObject } from "./declared/objects.ts";

/** One LIST request: all objects of a kind in a namespace, or of a cluster-scoped kind. */
export interface LiveList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/**
 * Returns the fewest LIST requests that show all objects of a plan except the CRDs, sorted.
 * They have no label selector, because revisions also count objects outside this deployment.
 * Objects that are only in the inventory are read in the version that created them.
 */
export function listsToRead(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly LiveList[] {
  const isListed = ({ id }: VersionedId) => !isCrd(id);
  const declared = declaredIds(objects).filter(isListed);
  // Each object is read in its declared version. In another one it would seem to differ from its
  // manifest.
  const byVersion = [...Map.groupBy(declared, ({ apiVersion }) => apiVersion).values()];
  const places = new Set(declared.map(listKey));
  const others = inventory.filter((each) => isListed(each) && !places.has(listKey(each)));
  return [...byVersion, others].flatMap(listRequests).toSorted(compareLists);
}

function compareLists(a: LiveList, b: LiveList): number {
  const sortKey = ({ apiVersion, kind, namespace = "" }: LiveList) =>
    `${groupOf(apiVersion)} ${kind} ${namespace} ${apiVersion}`;
  return sortKey(a) < sortKey(b) ? -1 : 1;
}

/** Lists the objects that qvs reads by name in addition to these lists, sorted. */
export function objectsToRead(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly ObjectAddress[] {
  const crds = allIds(objects, inventory).filter(({ id }) => isCrd(id));
  const byName = new Map(
    crds.toReversed().map(({ id, apiVersion }) => {
      const { kind, namespace, name } = id;
      return [name, { apiVersion, kind, namespace, name }] as const;
    }),
  );
  return [...byName.keys()].toSorted().map((name) => byName.get(name) as ObjectAddress);
}

type VersionedId = Pick<InventoryEntry, "id" | "apiVersion">;

/** Lists the declared objects before the inventory. */
function allIds(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly VersionedId[] {
  return [...declaredIds(objects), ...inventory];
}

function declaredIds(objects: readonly DeclaredObject[]): readonly VersionedId[] {
  return objects.map(({ id, object }) => ({ id, apiVersion: object.apiVersion }));
}

function listKey({ id, apiVersion }: VersionedId): string {
  return `${groupOf(apiVersion)} ${id.kind} ${id.namespace}`;
}

/** Returns one LIST request for each kind and namespace. */
export function listRequests(all: readonly VersionedId[]): readonly LiveList[] {
  const lists = new Map<string, LiveList>();
  for (const { id, apiVersion } of all) {
    const key = listKey({ id, apiVersion });
    const namespace = id.namespace === "" ? undefined : id.namespace;
    if (!lists.has(key)) lists.set(key, { apiVersion, kind: id.kind, namespace });
  }
  return [...lists.keys()].toSorted().map((key) => lists.get(key) as LiveList);
}
