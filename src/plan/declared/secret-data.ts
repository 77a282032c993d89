import { fieldPath } from "../../model/fields/field-path.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { canonicalBase64, toBase64 } from "../../model/text/base64.ts";

/**
 * Returns a Secret or ConfigMap with its bytes as the API server returns them.
 * Equal bytes then compare as equal without a request. `stringData` is merged into `data` as in the
 * API server (`stringData` wins). The API server never returns `stringData`, so a field manager
 * that sent it would own fields that don't exist.
 */
export function withCanonicalData(object: KubeObject): KubeObject {
  if (object.apiVersion !== "v1") return object;
  switch (object.kind) {
    case "Secret":
      return withCanonicalBytes(withEncodedStrings(object), "data");
    case "ConfigMap":
      return withCanonicalBytes(object, "binaryData");
    default:
      return object;
  }
}

function withEncodedStrings(object: KubeObject): KubeObject {
  if (!isObject(object.stringData)) return object;
  const { stringData, data, ...rest } = object;
  const encoded = mapStrings(stringData as JsonObject, toBase64);
  return { ...rest, data: { ...(isObject(data) ? data : {}), ...encoded } } as KubeObject;
}

/**
 * Rewrites Base64 values in their canonical form.
 * Invalid Base64 stays as it is, and the API server rejects it.
 */
function withCanonicalBytes(object: KubeObject, field: "data" | "binaryData"): KubeObject {
  const bytes = object[field];
  if (!isObject(bytes)) return object;
  return { ...object, [field]: mapStrings(bytes, (text) => canonicalBase64(text) ?? text) };
}

function mapStrings(values: JsonObject, map: (text: string) => string): JsonObject {
  const mapped = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "string" ? map(value) : value,
  ]);
  return Object.fromEntries(mapped);
}

/** Describes the values of `stringData` that aren't strings; the API server would reject them. */
export function wrongStringData(object: KubeObject): readonly string[] {
  if (object.kind !== "Secret" || !isObject(object.stringData)) return [];
  return Object.entries(object.stringData)
    .filter(([, value]) => typeof value !== "string")
    .map(([name]) => `${fieldPath(["stringData", name])} isn't a string`);
}
