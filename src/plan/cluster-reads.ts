import { keepOnDeleteAnnotation } from "../model/annotations.ts";
import { isCrd, isNamespace } from "../model/cluster/namespaces-and-crds.ts";
import type { InventoryEntry } from "../model/deployments/release.ts";
import { annotation, groupOf, type ObjectAddress } from "../model/object.ts";
import type { DeclaredObject } from "./declared/objects.ts";

/**
 * One LIST request: all objects of a kind in a namespace, or of a cluster-scoped kind, or only
 * those with a name.
 */
export interface LiveList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name?: string | undefined;
}

/** The most Namespaces to list by name. Other deployments can have thousands. */
const maxNamed = 4;

/**
 * Returns the fewest LIST requests that show all objects of a plan except the CRDs, sorted.
 * They have no label selector, because revisions also count objects outside this deployment.
 * Namespaces are listed by name: a cluster can have one for each of its deployments.
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
  const all = [...declared, ...inventory];
  // Revisions of a Namespace are counted among all Namespaces.
  const names = objects.some(isKeptNamespace) ? undefined : namespaceNames(all);
  return [...byVersion, others]
    .flatMap(listRequests)
    .flatMap((list) => (isNamespaceList(list) ? listsByName(list, names) : [list]))
    .toSorted(compareLists);
}

/** Returns the names of all Namespaces that a plan can look up. */
function namespaceNames(all: readonly VersionedId[]): readonly string[] {
  const names = all.map(({ id }) => (isNamespace(id) ? id.name : id.namespace));
  return [...new Set(names)].filter((name) => name !== "").toSorted();
}

function isNamespaceList({ apiVersion, kind }: LiveList): boolean {
  return apiVersion === "v1" && kind === "Namespace";
}

function isKeptNamespace({ id, object }: DeclaredObject): boolean {
  return isNamespace(id) && annotation(object, keepOnDeleteAnnotation) !== undefined;
}

function listsByName(list: LiveList, names: readonly string[] | undefined): readonly LiveList[] {
  const isLong = names === undefined || names.length > maxNamed;
  return isLong ? [list] : names.map((name) => ({ ...list, name }));
}

function compareLists(a: LiveList, b: LiveList): number {
  const sortKey = ({ apiVersion, kind, namespace = "", name = "" }: LiveList) =>
    `${groupOf(apiVersion)} ${kind} ${namespace} ${apiVersion} ${name}`;
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
