import { podSpecOf } from "../../model/cluster/pods.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

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
