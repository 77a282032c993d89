import { at, type JsonObject, sameJson, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/** The operation (RFC 6902) that confines a patch to this version of the object: after any change the answer is a conflict. */
export function onlyFor(live: KubeObject): JsonObject {
  const value = textAt(live, "metadata", "resourceVersion") ?? "";
  return { op: "replace", path: "/metadata/resourceVersion", value };
}

/** What makes of the content of `live` that of `desired`: everything but its identity, status and bookkeeping. */
export function contentPatch(live: KubeObject, desired: KubeObject): readonly JsonObject[] {
  const parts = Object.keys({ ...live, ...desired }).filter((name) => !bookkeeping.includes(name));
  const paths = [
    ...parts.map((name) => [name]),
    ...metadataParts.map((name) => ["metadata", name]),
  ];
  return paths.flatMap((path): readonly JsonObject[] => {
    const [before, value] = [at(live, ...path), at(desired, ...path)];
    if (sameJson(before, value)) return [];
    return value === undefined
      ? [{ op: "remove", path: pointerTo(path) }]
      : [{ op: "add", path: pointerTo(path), value }];
  });
}

const bookkeeping = ["apiVersion", "kind", "metadata", "status"];
const metadataParts = ["labels", "annotations", "finalizers", "ownerReferences"];

/** A JSON Pointer (RFC 6901) to a field. */
export function pointerTo(fields: readonly string[]): string {
  return fields.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
