import { at, listAt, textAt } from "../json.ts";
import { type KubeObject, uidOf } from "../object.ts";

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
