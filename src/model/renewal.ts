import { unionOfFields } from "./field-sets.ts";
import { isObject, type Json, type JsonObject, listAt, textAt } from "./json.ts";
import { onlyFor } from "./json-patch.ts";
import { fieldsOf } from "./managed-fields.ts";
import { groupOf, type KubeObject } from "./object.ts";

/**
 * In which other versions of its API the owners of an object's fields are recorded, sorted. To merge, the server converts
 * the object to each of them; where a CRD's versions differ, it fails at a field that an old one does not have.
 */
export function versionsToRenew(live: KubeObject, apiVersion: string): readonly string[] {
  const versions = listAt(live, "metadata", "managedFields").map(versionOf);
  const others = versions.filter((each) => isOther(each, apiVersion));
  return [...new Set(others)].sort();
}

/** The JSON Patch (RFC 6902) that records them in `apiVersion`, for exactly this version of the object. */
export function renewalPatch(live: KubeObject, apiVersion: string): readonly JsonObject[] {
  const entries = listAt(live, "metadata", "managedFields")
    .filter(isObject)
    .map((entry) => (isOther(versionOf(entry), apiVersion) ? { ...entry, apiVersion } : entry));
  // Of two entries that differ in nothing but their fields, the server would keep one.
  const same = Map.groupBy(entries, identityOf);
  const value = [...same.values()].map((each) => ({
    ...each[0],
    fieldsV1: unionOfFields(each.map(fieldsOf)),
  }));
  return [onlyFor(live), { op: "replace", path: "/metadata/managedFields", value }];
}

function versionOf(entry: Json): string {
  return textAt(entry, "apiVersion") ?? "";
}

function isOther(version: string, apiVersion: string): boolean {
  return version !== apiVersion && groupOf(version) === groupOf(apiVersion);
}

function identityOf(entry: JsonObject): string {
  const { manager, operation, subresource = "", apiVersion } = entry;
  return JSON.stringify([manager, operation, subresource, apiVersion]);
}
