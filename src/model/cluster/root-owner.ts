import { at, listAt, textAt } from "../json.ts";
import { type KubeObject, uidOf } from "../object.ts";

/** What controls an object in the end, as far as it is among these: the Deployment behind a Pod; itself if nothing controls it. */
export function rootOf(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): KubeObject {
  const found = controllerOf(object, byUid);
  return found === undefined || found === object ? object : rootOf(found, byUid);
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
