import { isLabelValue, isQualifiedName } from "../../model/cluster/label-syntax.ts";
import { fieldOf, isObject, type Json, type JsonObject, withoutField } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { canonicalBase64 } from "../../model/text/base64.ts";

type MapFields = ReadonlyMap<string, (text: string) => boolean>;

/**
 * The fields of the plain kinds, with a check of their values. The API server adds no defaults to
 * them.
 */
const dataFields: ReadonlyMap<string, MapFields> = new Map([
  [
    "ConfigMap",
    new Map([
      ["data", isAnyString],
      ["binaryData", isBase64],
    ]),
  ],
  ["Secret", new Map([["data", isBase64]])],
  ["ServiceAccount", new Map()],
]);

const flagFields: ReadonlyMap<string, string> = new Map([
  ["ConfigMap", "immutable"],
  ["Secret", "immutable"],
  ["ServiceAccount", "automountServiceAccountToken"],
]);

const metadataMaps: MapFields = new Map([
  ["labels", isLabelValue],
  ["annotations", isAnyString],
]);

/**
 * The maximum size in bytes.
 * It is within every limit of the API server: 1 MiB of data, 256 KiB of annotations.
 */
const maxBytes = 256 * 1024;

/**
 * Reports whether a ConfigMap, Secret or ServiceAccount is certainly valid.
 * The rules are stricter than the API server's (`ValidateConfigMap`, `ValidateSecret`,
 * `ValidateServiceAccount`, `ValidateObjectMeta`). Names are already checked. An empty map isn't
 * certain: the API server drops it, so sending it might change nothing.
 */
export function isValidPlainData(object: KubeObject): boolean {
  const { apiVersion, kind, metadata, type: _type, ...rest } = object;
  const fields = apiVersion === "v1" ? dataFields.get(kind) : undefined;
  const flagName = flagFields.get(kind);
  const flag = flagName === undefined ? undefined : fieldOf(rest, flagName);
  const maps = flagName === undefined ? rest : withoutField(rest, flagName);
  if (fields === undefined || secretType(object) !== plainType(kind)) return false;
  const names = Object.values(maps).flatMap((map) => (isObject(map) ? Object.keys(map) : []));
  return (
    (flag === undefined || typeof flag === "boolean") &&
    Object.entries(maps).every(([name, map]) => isValidMap(map, isDataKey, fields.get(name))) &&
    new Set(names).size === names.length &&
    isValidMetadata(metadata) &&
    new TextEncoder().encode(JSON.stringify(object)).length <= maxBytes
  );
}

/**
 * Returns the type of a Secret; undefined for an object without a type.
 * Types other than `Opaque` require certain keys, and no type can be changed.
 */
export function secretType({ kind, type }: KubeObject): Json | undefined {
  return kind === "Secret" ? (type ?? "Opaque") : type;
}

function plainType(kind: string): string | undefined {
  return kind === "Secret" ? "Opaque" : undefined;
}

/**
 * Reports whether metadata has only valid labels and annotations in addition to the name and
 * namespace.
 */
export function isValidMetadata({
  name: _name,
  namespace: _namespace,
  ...maps
}: JsonObject): boolean {
  return Object.entries(maps).every(([name, map]) =>
    isValidMap(map, isQualifiedName, metadataMaps.get(name)),
  );
}

/** Reports whether a value is a non-empty map of labels, as in a selector. */
export function isLabelMap(map: Json | undefined): boolean {
  return isValidMap(map, isQualifiedName, isLabelValue);
}

/** Reports whether a value is a non-empty map of strings in a field that the kind has. */
function isValidMap(
  map: Json | undefined,
  isKey: (key: string) => boolean,
  isValue: ((text: string) => boolean) | undefined,
): boolean {
  if (isValue === undefined || !isObject(map)) return false;
  const entries = Object.entries(map);
  const isEntry = ([key, value]: [string, Json]) =>
    isKey(key) && typeof value === "string" && isValue(value);
  return entries.length > 0 && entries.every(isEntry);
}

function isAnyString(): boolean {
  return true;
}

function isBase64(text: string): boolean {
  return canonicalBase64(text) === text;
}

/**
 * Reports whether a key is a file name that leads nowhere else, by the rules of `IsConfigMapKey`.
 */
function isDataKey(key: string): boolean {
  return /^[-._a-zA-Z0-9]{1,253}$/.test(key) && !key.startsWith("..") && key !== ".";
}
