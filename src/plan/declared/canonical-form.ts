import { podSpecOf } from "../../model/cluster/pods.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject, listAt } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
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
  if (!isCoreObject(object, "Secret") || !isObject(object.stringData)) return [];
  return Object.entries(object.stringData)
    .filter(([, value]) => typeof value !== "string")
    .map(([name]) => `${fieldPath(["stringData", name])} isn't a string`);
}

/**
 * Adds `protocol: TCP` to every port of a Service or container that has no protocol.
 * The protocol is part of the key by which the API server merges ports. Without it, a second apply
 * of the same manifest wouldn't find its own item.
 */
export function withPortProtocols(object: KubeObject): KubeObject {
  if (object.apiVersion === "v1" && object.kind === "Service") {
    return { ...object, ...changeField(object, "spec", (spec) => withProtocols(spec)) };
  }
  const pod = podSpecOf(object);
  return pod === undefined
    ? object
    : (changeAtPath(object, pod.path, withContainerPorts) as KubeObject);
}

function withContainerPorts(spec: JsonObject): JsonObject {
  return {
    ...spec,
    ...withPorts(spec, "initContainers"),
    ...withPorts(spec, "containers"),
    ...withPorts(spec, "ephemeralContainers"),
  };
}

function withPorts(spec: JsonObject, list: string): JsonObject {
  const containers = fieldOf(spec, list);
  if (!isList(containers)) return {};
  return { [list]: containers.map((c) => (isObject(c) ? withProtocols(c) : c)) };
}

function withProtocols(parent: JsonObject): JsonObject {
  const ports = parent.ports;
  return isList(ports) ? { ...parent, ports: ports.map(withProtocol) } : parent;
}

function withProtocol(port: Json): Json {
  return isObject(port) && port.protocol === undefined ? { ...port, protocol: "TCP" } : port;
}

function changeAtPath(
  value: JsonObject,
  path: readonly string[],
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const [field, ...rest] = path;
  if (field === undefined) return change(value);
  return { ...value, ...changeField(value, field, (inner) => changeAtPath(inner, rest, change)) };
}

function changeField(
  parent: JsonObject,
  field: string,
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const value = fieldOf(parent, field);
  return isObject(value) ? { [field]: change(value) } : {};
}

/**
 * The fields by which the API server distinguishes the items of a list
 * (`x-kubernetes-list-map-keys`).
 */
const podLists: ListKeys = {
  containers: ["name"],
  initContainers: ["name"],
  ephemeralContainers: ["name"],
  volumes: ["name"],
  imagePullSecrets: ["name"],
};
const containerLists: ListKeys = {
  env: ["name"],
  ports: ["containerPort", "protocol"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
};
const serviceLists: ListKeys = { ports: ["port", "protocol"] };

type ListKeys = Readonly<Record<string, readonly string[]>>;

/**
 * Describes list items that the API server couldn't distinguish.
 * Example: `spec.template.spec.containers[0].env has "PORT" more than once`. Server-Side Apply
 * would merge these items or never remove one of them, so qvs rejects them.
 */
export function duplicateItems(object: KubeObject): readonly string[] {
  if (object.apiVersion === "v1" && object.kind === "Service") {
    const spec = object.spec;
    return isObject(spec) ? findDuplicates(spec, "spec", serviceLists) : [];
  }
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const path = pod.path.join(".");
  return [...findDuplicates(pod.spec, path, podLists), ...containerDuplicates(pod.spec, path)];
}

function containerDuplicates(spec: JsonObject, path: string): readonly string[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) =>
      isObject(container)
        ? findDuplicates(container, `${path}.${list}[${index}]`, containerLists)
        : [],
    ),
  );
}

function findDuplicates(parent: JsonObject, path: string, lists: ListKeys): readonly string[] {
  return Object.entries(lists).flatMap(([list, keys]) => {
    const items = fieldOf(parent, list);
    if (!isList(items)) return [];
    return repeatedTexts(items.map((item) => keyText(item, keys))).map(
      (key) => `${path}.${list} has ${key} more than once`,
    );
  });
}

function keyText(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const values = keys.map((key) => fieldOf(item, key));
  if (values.some((value) => value === undefined)) return undefined;
  return values.map((value) => JSON.stringify(value)).join("/");
}

function repeatedTexts(texts: readonly (string | undefined)[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const text of texts) {
    if (text === undefined) continue;
    if (seen.has(text)) twice.add(text);
    seen.add(text);
  }
  return [...twice].sort();
}
