import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
  withoutField,
} from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * Returns the operation (RFC 6902) that binds a patch to this version of the object.
 * After any other change, the API server answers with a conflict.
 */
export function resourceVersionGuard(live: KubeObject): JsonObject {
  const value = textAt(live, "metadata", "resourceVersion") ?? "";
  return { op: "replace", path: "/metadata/resourceVersion", value };
}

/**
 * Returns the patch from the content of `live` to that of `desired`.
 * It leaves out the identity, the status and server-managed metadata.
 */
export function contentPatch(live: KubeObject, desired: KubeObject): readonly JsonObject[] {
  const parts = Object.keys({ ...live, ...desired }).filter(
    (name) => !excludedParts.includes(name),
  );
  const paths = [
    ...parts.map((name) => [name]),
    ...metadataParts.map((name) => ["metadata", name]),
  ];
  return paths.flatMap((path): readonly JsonObject[] => {
    const [before, value] = [at(live, ...path), at(desired, ...path)];
    if (sameJson(before, value)) return [];
    return value === undefined
      ? [{ op: "remove", path: jsonPointer(path) }]
      : [{ op: "add", path: jsonPointer(path), value }];
  });
}

const excludedParts = ["apiVersion", "kind", "metadata", "status"];
const metadataParts = ["labels", "annotations", "finalizers", "ownerReferences"];

/** Applies a patch of such operations to an object. */
export function applyJsonPatch(object: KubeObject, patch: readonly JsonObject[]): KubeObject {
  return patch.reduce<Json>((value, operation) => {
    const fields = (textAt(operation, "path") ?? "").split("/").slice(1);
    const names = fields.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    const part = textAt(operation, "op") === "remove" ? undefined : fieldOf(operation, "value");
    return setAtPath(value, names, part);
  }, object) as KubeObject;
}

/** Sets the value at a path of fields, or removes it. */
export function setAtPath(
  value: Json | undefined,
  [name, ...rest]: readonly string[],
  part: Json | undefined,
): Json {
  if (name === undefined) return part ?? null;
  // No step writes into a list. This function would treat it as a map.
  if (isList(value)) throw new Error(`A patch must not lead into a list: /${name}`);
  const fields = isObject(value) ? value : {};
  if (rest.length === 0 && part === undefined) return withoutField(fields, name);
  return { ...fields, [name]: setAtPath(fieldOf(fields, name), rest, part) };
}

/** Returns a JSON Pointer (RFC 6901) to a field. */
export function jsonPointer(fields: readonly string[]): string {
  return fields.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
