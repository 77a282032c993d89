import { isObject, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * A Secret with its `stringData` merged into `data`, as the server itself does (`stringData` wins). The server never
 * gives `stringData` back, so a field manager that sent it would own fields that do not exist.
 */
export function withEncodedSecret(object: KubeObject): KubeObject {
  if (object.apiVersion !== "v1" || object.kind !== "Secret" || !isObject(object.stringData)) {
    return object;
  }
  const { stringData, data, ...rest } = object;
  const encoded = Object.entries(stringData as JsonObject).map(([name, value]) => [
    name,
    typeof value === "string" ? toBase64(value) : value,
  ]);
  const kept = isObject(data) ? data : {};
  return { ...rest, data: { ...kept, ...Object.fromEntries(encoded) } } as KubeObject;
}

/** Keys of `stringData` whose value is not text: the server would refuse them. */
export function wrongStringData(object: KubeObject): readonly string[] {
  if (object.kind !== "Secret" || !isObject(object.stringData)) return [];
  return Object.entries(object.stringData)
    .filter(([, value]) => typeof value !== "string")
    .map(([name]) => `has a value in stringData.${name} that isn't text`);
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
