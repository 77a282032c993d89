import { isObject, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { canonicalBase64, toBase64 } from "../../model/text/base64.ts";

/**
 * A Secret or ConfigMap with its bytes as the server gives them back, so that equal ones compare as equal without
 * asking. `stringData` is merged into `data` as the server itself does (`stringData` wins): it is never given back, so
 * a field manager that sent it would own fields that do not exist.
 */
export function withCanonicalData(object: KubeObject): KubeObject {
  if (object.apiVersion !== "v1") return object;
  switch (object.kind) {
    case "Secret":
      return withCanonicalBytes(withEncodedTexts(object), "data");
    case "ConfigMap":
      return withCanonicalBytes(object, "binaryData");
    default:
      return object;
  }
}

function withEncodedTexts(object: KubeObject): KubeObject {
  if (!isObject(object.stringData)) return object;
  const { stringData, data, ...rest } = object;
  const encoded = mapTexts(stringData as JsonObject, toBase64);
  return { ...rest, data: { ...(isObject(data) ? data : {}), ...encoded } } as KubeObject;
}

/** What isn't Base64 stays as it is, for the server to refuse. */
function withCanonicalBytes(object: KubeObject, field: "data" | "binaryData"): KubeObject {
  const bytes = object[field];
  if (!isObject(bytes)) return object;
  return { ...object, [field]: mapTexts(bytes, (text) => canonicalBase64(text) ?? text) };
}

function mapTexts(values: JsonObject, map: (text: string) => string): JsonObject {
  const mapped = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "string" ? map(value) : value,
  ]);
  return Object.fromEntries(mapped);
}

/** Keys of `stringData` whose value is not text: the server would refuse them. */
export function wrongStringData(object: KubeObject): readonly string[] {
  if (object.kind !== "Secret" || !isObject(object.stringData)) return [];
  return Object.entries(object.stringData)
    .filter(([, value]) => typeof value !== "string")
    .map(([name]) => `has a value in stringData.${name} that isn't text`);
}
