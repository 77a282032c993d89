import type { ApiMessage } from "../../../model/cluster/api/messages/api-message.ts";
import { unparsableType } from "../../../model/cluster/api/messages/invalid-fields.ts";
import { parseQuantity } from "../../../model/cluster/quantity.ts";
import { fieldPath } from "../../../model/fields/field-path.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { leafEntries } from "../../../model/sources/trace.ts";
import { canonicalBase64 } from "../../../model/text/base64.ts";

/** A value of a manifest that the API server can't read. */
interface UnreadableValue {
  /** The path, e.g. `spec.template.spec.containers[0].resources.limits.memory`. */
  readonly field: string;
  readonly value: Json;
}

/**
 * Lists the values that a rejection might be about.
 * The API server answers 500 and names only the type that the first of them should have. The
 * manifest is at fault, so qvs doesn't repeat the request.
 */
export function unreadableValues(object: JsonObject, said: ApiMessage): readonly UnreadableValue[] {
  const unreadable = unparsableType(said);
  if (unreadable === undefined) return [];
  const isWrong = (path: readonly string[], value: Json) => {
    switch (unreadable.type) {
      case "quantity":
        return isQuantity(path) && !isReadableQuantity(value);
      case "whole number":
        return typeof value === "number" && !Number.isInteger(value) && !isQuantity(path);
      case "Base64":
        return isByteField(path) && !isReadableBase64(value);
      case "time":
        return value === unreadable.text;
    }
  };
  return leafEntries(object)
    .filter(([path, value]) => isWrong(path, value))
    .map(([path, value]) => ({ field: fieldPath(path), value }));
}

function isReadableBase64(value: Json): boolean {
  return typeof value === "string" ? canonicalBase64(value) !== undefined : value === null;
}

/** Returns the fix for a value that the API server can't read; undefined for other rejections. */
export function readableFormatFix(said: ApiMessage): string | undefined {
  switch (unparsableType(said)?.type) {
    case "quantity":
      return "Write a number, with a Kubernetes unit if it needs one: 0.5, 500m, 128Mi or 1G, but not 128MB";
    case "whole number":
      return "Write an integer";
    case "time":
      return "Write the time like the API server: 2026-01-02T15:04:05Z, with six decimals of a second if the field has them";
    case "Base64":
      return "Encode the value in Base64";
    case undefined:
      return undefined;
  }
}

/**
 * The fields that contain quantities by resource name. OpenAPI calls quantities strings, so only
 * their position identifies them.
 */
const quantityMaps: readonly string[] = [
  ...["requests", "limits", "hard", "capacity", "allocatable", "podFixed", "used"],
  ...["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"],
];

const quantityFields: readonly string[] = [
  "sizeLimit",
  "divisor",
  "averageValue",
  "maximumVolumeSize",
];

function isQuantity(path: readonly string[]): boolean {
  const [map = "", name = ""] = path.slice(-2);
  const isOfMetric = name === "value" && map === "target";
  return quantityMaps.includes(map) || quantityFields.includes(name) || isOfMetric;
}

function isReadableQuantity(value: Json): boolean {
  const isPadded = typeof value === "string" && value.trim() !== value;
  return parseQuantity(value) !== undefined && !isPadded;
}

function isByteField(path: readonly string[]): boolean {
  const [map = "", name = ""] = path.slice(-2);
  return map === "binaryData" || name === "caBundle" || (map === "spec" && name === "request");
}
