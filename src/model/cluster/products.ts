import { idOf, type KubeObject, keyOf, type ObjectId, uidOf } from "../object.ts";
import { isBuiltInGroup } from "./built-in-groups.ts";
import { filterDependents, garbageCollected, ownerUids } from "./garbage-collected.ts";
import { namesForPods } from "./pods.ts";

/**
 * Objects that the garbage collector deletes with their owner, and that other objects can use.
 * An example is the Secret of an ExternalSecret, SealedSecret or Certificate. Pods, Ingresses,
 * routes and ServiceAccounts can use such objects.
 */
export interface Products {
  /** Sorted by key. */
  readonly objects: readonly ObjectId[];
  /** The uids of everything that is deleted with the owner, including the owner. */
  readonly uids: ReadonlySet<string>;
}

/** The metadata of objects that the owners might have created. */
export interface ListedProducts {
  readonly objects: readonly KubeObject[];
  /** Namespaces whose objects qvs can't list; "" means all namespaces. */
  readonly unread: ReadonlySet<string>;
}

export const noProducts: ListedProducts = { objects: [], unread: new Set() };

/** The kinds that other objects use by name. */
export const productKinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  ["v1", "Secret"],
  ["v1", "ConfigMap"],
  ["v1", "ServiceAccount"],
  ["v1", "PersistentVolumeClaim"],
  ["v1", "Service"],
];

/** Returns the products of each deleted owner by its uid. Owners without products have no entry. */
export function findProducts(
  owners: readonly KubeObject[],
  { objects, unread }: ListedProducts,
): ReadonlyMap<string, Products> {
  const taken = garbageCollected(new Set(owners.map(uidOf)), objects);
  const all = owners.map((owner) => {
    const reached = filterDependents(owner, taken);
    const named = unread.has(idOf(owner).namespace) ? guessProducts(owner) : [];
    const ids = [...reached.map(idOf).filter(isProduct), ...named];
    const byKey = new Map(ids.map((id) => [keyOf(id), id]));
    const sorted = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id);
    const uids = new Set([uidOf(owner), ...reached.map(uidOf)]);
    return [uidOf(owner), { objects: sorted, uids }] as const;
  });
  return new Map(all.filter(([, products]) => products.objects.length > 0));
}

/**
 * Returns a test that reports whether an object is deleted with the owner of these products.
 * Such an object no longer uses anything then. qvs recognizes newer objects by their owners: all of
 * them must be deleted too. An owner that isn't in `known` might remain.
 */
export function deletedWithOwner(
  { products }: { readonly products?: Products | undefined },
  known: readonly KubeObject[],
): (object: KubeObject) => boolean {
  if (products === undefined) return () => false;
  const owners = new Set(known.flatMap(ownerUids));
  const taken = garbageCollected(products.uids, known, owners);
  const uids = new Set([...products.uids, ...taken.map(uidOf)]);
  return (object) => {
    const owned = ownerUids(object);
    return uids.has(uidOf(object)) || (owned.length > 0 && owned.every((uid) => uids.has(uid)));
  };
}

function isProduct({ group, kind }: ObjectId): boolean {
  return group === "" && productKinds.some(([, each]) => each === kind);
}

/**
 * Guesses the products by the names that operators usually give them.
 * qvs uses this without the permission to list them.
 */
function guessProducts(owner: KubeObject): readonly ObjectId[] {
  const { group, namespace } = idOf(owner);
  if (isBuiltInGroup(group) || namespace === "") return [];
  return namesForPods(owner).map((named) => ({ group: "", namespace, ...named }));
}
