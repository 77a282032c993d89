import { isDnsLabel, isLabelValue, isQualifiedName } from "../../model/cluster/object-names.ts";
import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  withoutField,
} from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import { canonicalBase64 } from "../../model/text/base64.ts";

/**
 * Reports whether a new Service is certainly valid.
 * The rules are stricter than the API server's (`ValidateService`): only ports of Pods, with a
 * cluster IP or headless. Only the creation shows whether an address is left.
 */
export function isValidNewService({ apiVersion, kind, metadata, spec, ...others }: KubeObject) {
  if (apiVersion !== "v1" || kind !== "Service" || !isObject(spec)) return false;
  const { selector, ports, type = "ClusterIP", clusterIP = "None", ...unknown } = spec;
  return (
    isEmpty(others) &&
    isEmpty(unknown) &&
    isServiceName(metadata.name) &&
    isValidMetadata(metadata) &&
    isLabelMap(selector) &&
    type === "ClusterIP" &&
    clusterIP === "None" &&
    isList(ports) &&
    arePorts(ports)
  );
}

function isEmpty(fields: JsonObject): boolean {
  return Object.keys(fields).length === 0;
}

/**
 * Reports whether a name fits `IsDNS1035Label`.
 * The names of other objects can start with a digit or contain dots.
 */
function isServiceName(name: Json | undefined): boolean {
  return isLabel(name) && /^[a-z]/.test(name);
}

function isLabel(name: Json | undefined): name is string {
  return typeof name === "string" && isDnsLabel(name);
}

/**
 * Reports whether the ports are valid.
 * The maximum is 100, as for endpoints. Each port has a name unless it is the only one.
 */
function arePorts(ports: readonly Json[]): boolean {
  const fields = ports.filter(isObject);
  const names = fields.map(({ name }) => name).filter((name) => name !== undefined);
  const keys = fields.map(({ port, protocol }) => JSON.stringify([port, protocol]));
  return (
    ports.length > 0 &&
    ports.length <= 100 &&
    fields.length === ports.length &&
    fields.every(isPort) &&
    (ports.length === 1 || names.length === ports.length) &&
    new Set(names).size === names.length &&
    new Set(keys).size === keys.length
  );
}

function isPort({ name, port, targetPort, protocol, ...unknown }: JsonObject): boolean {
  return (
    isEmpty(unknown) &&
    (name === undefined || isLabel(name)) &&
    isPortNumber(port) &&
    (targetPort === undefined || isPortNumber(targetPort) || isPortName(targetPort)) &&
    (protocol === "TCP" || protocol === "UDP")
  );
}

function isPortNumber(port: Json | undefined): boolean {
  return typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/**
 * Reports whether a name fits `IsValidPortName` (RFC 6335): at most 15 characters, one of them a
 * letter.
 */
function isPortName(name: Json): boolean {
  return isLabel(name) && name.length <= 15 && /[a-z]/.test(name) && !name.includes("--");
}

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
export function secretType(object: KubeObject): Json | undefined {
  return isCoreObject(object, "Secret") ? (object["type"] ?? "Opaque") : object["type"];
}

function plainType(kind: string): string | undefined {
  return kind === "Secret" ? "Opaque" : undefined;
}

/**
 * Reports whether metadata has only valid labels and annotations in addition to the name and
 * namespace.
 */
function isValidMetadata({ name: _name, namespace: _namespace, ...maps }: JsonObject): boolean {
  return Object.entries(maps).every(([name, map]) =>
    isValidMap(map, isQualifiedName, metadataMaps.get(name)),
  );
}

/** Reports whether a value is a non-empty map of labels, as in a selector. */
function isLabelMap(map: Json | undefined): boolean {
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
