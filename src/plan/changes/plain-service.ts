import { isDnsLabel } from "../../model/cluster/dns-label.ts";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { isLabelMap, isValidMetadata } from "./plain-data.ts";

/**
 * Whether a new Service is certainly valid, by less than the server allows (`ValidateService`): ports in front of Pods,
 * with an address in the cluster or without any. Whether there is an address left shows only when it is created.
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

/** `IsDNS1035Label`: other objects may begin with a digit, or have dots in their names. */
function isServiceName(name: Json | undefined): boolean {
  return isLabel(name) && /^[a-z]/.test(name);
}

function isLabel(name: Json | undefined): name is string {
  return typeof name === "string" && isDnsLabel(name);
}

/** As many as there may be endpoints for (100), each with a name unless it is the only one. */
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

/** `IsValidPortName` (RFC 6335): up to 15 characters with a letter among them. */
function isPortName(name: Json): boolean {
  return isLabel(name) && name.length <= 15 && /[a-z]/.test(name) && !name.includes("--");
}
