import { at, isObject, type Json, listAt, textAt } from "../json.ts";
import type { GroupKind } from "../kinds.ts";
import { groupOf, type KubeObject, type TypeMeta } from "../object.ts";
import { definesKind, isCrd } from "./namespaces-and-crds.ts";

/**
 * Reports whether objects of a kind can have a status, by the CustomResourceDefinition among these
 * objects. Undefined if none of them defines the kind in this version.
 */
export function definedStatus(
  objects: readonly KubeObject[],
  { apiVersion, kind }: TypeMeta,
): boolean | undefined {
  const defined: GroupKind = { group: groupOf(apiVersion), kind };
  const versions = objects
    .filter((each) => isCrd({ group: groupOf(each.apiVersion), kind: each.kind }))
    .filter((each) => definesKind(each, defined))
    .flatMap((each) => listAt(each, "spec", "versions"));
  const version = versions.find((each) => textAt(each, "name") === apiVersion.split("/").at(-1));
  if (version === undefined) return undefined;
  const hasSubresource = isObject(at(version, "subresources", "status"));
  return hasSubresource || hasStatusSchema(at(version, "schema", "openAPIV3Schema"));
}

/** Reports whether the schema of a kind has a field `status`. */
export function hasStatusSchema(schema: Json | undefined): boolean {
  return isObject(at(schema, "properties", "status"));
}
