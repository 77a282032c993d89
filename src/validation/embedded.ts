import {
  isDnsLabel,
  isDnsSubdomain,
  isLabelValue,
  isQualifiedName,
} from "../model/cluster/object-names.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { ValueViolation } from "./structural.ts";

/**
 * Checks `apiVersion` and `kind` of an embedded object (`x-kubernetes-embedded-resource`).
 * Its type contains the required fields.
 */
export function embeddedViolations(value: Json, schema: JsonObject): readonly ValueViolation[] {
  if (!isEmbedded(schema) || !isObject(value)) return [];
  const { apiVersion, kind } = value;
  const isVersion = typeof apiVersion !== "string" || /^[^/]+(\/[^/]*)?$/.test(apiVersion);
  const isKind = typeof kind !== "string" || /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/i.test(kind);
  return [
    ...(isVersion
      ? []
      : [{ path: ["apiVersion"], what: "must be a version, with or without a group" }]),
    ...(isKind ? [] : [{ path: ["kind"], what: "must be a name of letters, digits and dashes" }]),
  ];
}

export function isEmbedded(schema: JsonObject): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

/**
 * Lists labels and annotations that no object can have (`ValidateLabels`, `ValidateAnnotations`).
 * It doesn't check the rest of the metadata.
 */
export function metadataViolations(metadata: Json | undefined): readonly ValueViolation[] {
  if (!isObject(metadata)) return [];
  const { labels, annotations } = metadata;
  return [
    ...fieldEntries(labels).flatMap(([key, value]) => [
      ...(isQualifiedName(key)
        ? []
        : [{ path: ["metadata", "labels"], what: invalidKey(key, "label") }]),
      ...(typeof value !== "string" || isLabelValue(value)
        ? []
        : [{ path: ["metadata", "labels", key], what: "isn't a valid label value" }]),
    ]),
    ...fieldEntries(annotations)
      .filter(([key]) => !isQualifiedName(key.toLowerCase()))
      .map(([key]) => ({ path: ["metadata", "annotations"], what: invalidKey(key, "annotation") })),
  ];
}

function fieldEntries(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function invalidKey(key: string, what: "label" | "annotation"): string {
  return `has ${JSON.stringify(key)}, which isn't a valid ${what} key`;
}

/** Reports whether metadata is certainly valid. Much other metadata is valid, too. */
export function isPlainMetadata(metadata: Json | undefined): boolean {
  if (metadata === undefined) return true;
  return isObject(metadata) && Object.entries(metadata).every(isPlainField);
}

function isPlainField([field, value]: readonly [string, Json]): boolean {
  switch (field) {
    case "name":
      return typeof value === "string" && isDnsSubdomain(value);
    case "namespace":
      return typeof value === "string" && isDnsLabel(value);
    case "labels":
      return isObject(value) && Object.entries(value).every(isPlainLabel);
    case "annotations":
      return (
        isObject(value) &&
        Object.entries(value).every(
          ([key, text]) => isQualifiedName(key) && typeof text === "string",
        ) &&
        JSON.stringify(value).length < maxAnnotationsLength
      );
    default:
      return false;
  }
}

/**
 * The maximum length of annotations, in characters.
 * The API server's limit is 256 KiB, and a character can take four bytes.
 */
const maxAnnotationsLength = 65_536;

function isPlainLabel([key, value]: readonly [string, Json]): boolean {
  return isQualifiedName(key) && typeof value === "string" && isLabelValue(value);
}
