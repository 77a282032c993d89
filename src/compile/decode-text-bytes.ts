import { isList, isObject, type Json, type JsonObject, textAt } from "../model/json.ts";
import { bytesOfBase64 } from "../model/text/base64.ts";

/**
 * Decodes CUE bytes to text where Kubernetes doesn't expect Base64.
 * JSON has no bytes, so CUE exports them as Base64. Elsewhere the adapter meant text: the official
 * GCP adapter writes JSON in annotations with single quotes, which are CUE's bytes.
 */
export function decodeTextBytes(
  resource: JsonObject,
  findBytes: () => readonly (readonly string[])[],
): JsonObject {
  // The engine needs as long to find bytes as to export them. Few resources contain a string that
  // can be Base64 of text.
  if (!mayContainTextBytes(resource)) return resource;
  const texts = findBytes().filter((path) => !expectsBase64(resource, path));
  return texts.reduce<JsonObject>(
    (object, path) => decodePath(object, path) as JsonObject,
    resource,
  );
}

function mayContainTextBytes(value: Json): boolean {
  if (typeof value === "string") return isBase64(value) && decodeText(value) !== value;
  if (isList(value)) return value.some(mayContainTextBytes);
  return isObject(value) && Object.values(value).some(mayContainTextBytes);
}

/**
 * Reports whether a string has the form of Base64. The pattern has no groups of four: V8 stores
 * every repetition of a group, and fails after some million.
 */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/**
 * Reports whether a field expects Base64: `data` of a Secret, `binaryData` of a ConfigMap (also in
 * Pulumi's types), and certificate bundles.
 */
function expectsBase64(resource: JsonObject, path: readonly string[]): boolean {
  const kind = textAt(resource, "kind") ?? textAt(resource, "type")?.split(":").at(-1);
  const [field] = path[0] === "properties" ? path.slice(1) : path;
  if (kind === "Secret" && field === "data") return true;
  if (kind === "ConfigMap" && field === "binaryData") return true;
  return path.at(-1) === "caBundle";
}

function decodePath(value: Json, [step, ...rest]: readonly string[]): Json {
  if (step === undefined) return typeof value === "string" ? decodeText(value) : value;
  if (isList(value)) {
    return value.map((item, index) => (String(index) === step ? decodePath(item, rest) : item));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    name === step ? decodePath(field, rest) : field,
  ]);
  return Object.fromEntries(entries);
}

/** Decodes Base64. Bytes that aren't valid text stay Base64. */
function decodeText(base64: string): string {
  const bytes = bytesOfBase64(base64);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return base64;
  }
}
