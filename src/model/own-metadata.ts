import { isObject } from "./json.ts";
import { type KubeObject, withMetadata } from "./object.ts";

/**
 * `object` with our own labels and annotations as `declared` has them. By these it is found, protected and left alone later
 * on, so they are sent even where all labels or annotations are to stay as they are.
 */
export function withOwnMetadata(object: KubeObject, declared: KubeObject): KubeObject {
  const maps = ["labels", "annotations"].flatMap((field) => {
    const all = declared.metadata[field];
    const own = Object.entries(isObject(all) ? all : {}).filter(([name]) => isOwn(name));
    const kept = object.metadata[field];
    const map = { ...(isObject(kept) ? kept : {}), ...Object.fromEntries(own) };
    return own.length === 0 ? [] : [[field, map] as const];
  });
  return withMetadata(object, Object.fromEntries(maps));
}

function isOwn(name: string): boolean {
  return name.startsWith("vs.axis-dev.io/");
}
