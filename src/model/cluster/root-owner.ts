import { at, listAt, textAt } from "../json.ts";
import { type KubeObject, uidOf } from "../object.ts";

/**
 * Returns what controls an object in the end, as far as it is among these: the Deployment behind a
 * Pod; the object itself if nothing controls it. Anyone who can patch metadata can make a circle of
 * owners: then it returns the last one before the circle closes.
 */
export function rootOf(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): KubeObject {
  const seen = new Set<KubeObject>([object]);
  let root = object;
  for (let next = controllerOf(root, byUid); next !== undefined; next = controllerOf(root, byUid)) {
    if (seen.has(next)) return root;
    seen.add(next);
    root = next;
  }
  return root;
}

/** What controls an object itself, if that is among these: the ReplicaSet behind a Pod. */
export function controllerOf(
  object: KubeObject,
  byUid: ReadonlyMap<string, KubeObject>,
): KubeObject | undefined {
  const owners = listAt(object, "metadata", "ownerReferences");
  const controller = owners.find((owner) => at(owner, "controller") === true);
  return byUid.get(textAt(controller, "uid") ?? "");
}

export function byUid(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [uidOf(object), object]));
}
