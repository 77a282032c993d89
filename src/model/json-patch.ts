import { type JsonObject, textAt } from "./json.ts";
import type { KubeObject } from "./object.ts";

/** The operation (RFC 6902) that confines a patch to this version of the object: after any change the answer is a conflict. */
export function onlyFor(live: KubeObject): JsonObject {
  const value = textAt(live, "metadata", "resourceVersion") ?? "";
  return { op: "replace", path: "/metadata/resourceVersion", value };
}

/** A JSON Pointer (RFC 6901) to a field. */
export function pointerTo(fields: readonly string[]): string {
  return fields.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
