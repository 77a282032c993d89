import { at, listAt, textAt } from "../json.ts";
import { idOf, type KubeObject, keyOf, type ObjectId, uidOf } from "../object.ts";
import { isBuiltInGroup } from "./api/built-in-groups.ts";
import { namesForPods } from "./pods.ts";

/**
 * Returns the objects among `known` that the garbage collector deletes with these.
 * Every owner in their metadata.ownerReferences is deleted. One remaining owner keeps an object
 * (https://kubernetes.io/docs/concepts/architecture/garbage-collection/). An unknown owner counts
 * as deleted.
 */
export function garbageCollected(
  deleted: ReadonlySet<string>,
  known: readonly KubeObject[],
  remaining: ReadonlySet<string> = new Set(),
): readonly KubeObject[] {
  const owned = known.filter(
    (object) => ownerUids(object).length > 0 && !deleted.has(uidOf(object)),
  );
  const all = new Set(deleted);
  const existing = new Set([...known.map(uidOf), ...remaining]);
  const found = new Map<string, KubeObject>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const object of owned) {
      const owners = ownerUids(object);
      const isCollected = owners.some((uid) => all.has(uid));
      if (isCollected && owners.every((uid) => all.has(uid) || !existing.has(uid))) {
        found.set(uidOf(object), object);
        all.add(uidOf(object));
      }
    }
  }
  return [...found.values()];
}

/** Returns the uid of the owner that is the controller. */
export function controllerUid(object: KubeObject): string | undefined {
  const owner = listAt(object, "metadata", "ownerReferences").find(
    (each) => at(each, "controller") === true,
  );
  return textAt(owner, "uid");
}

/** Returns the uids of the owners that an object names. */
export function ownerUids(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "ownerReferences").flatMap(
    (owner) => textAt(owner, "uid") ?? [],
  );
}

/** Returns the objects in `taken` that name `owner` as their direct or indirect owner. */
export function filterDependents(
  owner: KubeObject,
  taken: readonly KubeObject[],
): readonly KubeObject[] {
  const reached = new Set([uidOf(owner)]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const one of taken)
      if (ownerUids(one).some((uid) => reached.has(uid))) reached.add(uidOf(one));
  }
  return taken.filter((one) => reached.has(uidOf(one)));
}

/**
 * Returns the topmost controller of an object, as far as it is in `byUid`: the Deployment of a Pod.
 * Returns the object itself if it has no controller. Anyone who can patch metadata can create a
 * cycle of owners. The result is then the last object before the cycle repeats.
 */
export function rootOwner(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): KubeObject {
  const seen = new Set<KubeObject>([object]);
  let root = object;
  for (
    let next = findController(root, byUid);
    next !== undefined;
    next = findController(root, byUid)
  ) {
    if (seen.has(next)) return root;
    seen.add(next);
    root = next;
  }
  return root;
}

/** Returns the direct controller of an object if it is in `byUid`: the ReplicaSet of a Pod. */
export function findController(
  object: KubeObject,
  byUid: ReadonlyMap<string, KubeObject>,
): KubeObject | undefined {
  const owners = listAt(object, "metadata", "ownerReferences");
  const controller = owners.find((owner) => at(owner, "controller") === true);
  return byUid.get(textAt(controller, "uid") ?? "");
}

export function indexByUid(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [uidOf(object), object]));
}

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
