import { at, listAt, textAt } from "../json.ts";
import { type KubeObject, uidOf } from "../object.ts";

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
