import { isDnsLabel } from "../../model/cluster/dns-label.ts";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { isLabelMap, isValidMetadata } from "./plain-data.ts";

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
