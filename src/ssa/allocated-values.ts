import { isObject, type Json, type JsonObject, listAt, numberAt, textAt } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";

/** The placeholder for a value that the cluster allocates at the real write. */
export const allocatedPlaceholder = "(chosen by the cluster)";

/**
 * Replaces addresses and ports that a dry run allocated.
 * The API server releases them after the dry run, so the deployment gets other values.
 * `live` has the values that the object keeps; undefined for an object that is created again.
 */
export function maskAllocatedValues(
  predicted: KubeObject,
  sent: KubeObject,
  live: KubeObject | undefined,
): KubeObject {
  if (groupOf(predicted.apiVersion) !== "" || predicted.kind !== "Service") return predicted;
  const { spec } = predicted;
  if (!isObject(spec)) return predicted;
  const known = [sent, ...(live === undefined ? [] : [live])];
  return {
    ...predicted,
    spec: { ...spec, ...maskAddresses(spec, known), ...maskPorts(spec, known) },
  };
}

/**
 * Returns a Service with the address that the API server keeps. An update without an address
 * doesn't change the existing one, and "None" counts as an address (`patchAllocatedValues`).
 * `sent` is the manifest, and `next` the result of its merge with the live object.
 */
export function keepClusterAddress(
  next: KubeObject,
  sent: KubeObject,
  live: KubeObject,
): KubeObject {
  const isService = groupOf(next.apiVersion) === "" && next.kind === "Service";
  const address = textAt(live, "spec", "clusterIP") ?? "";
  const declared = textAt(sent, "spec", "clusterIP") ?? "";
  const { spec } = next;
  if (!isService || address === "" || declared !== "" || !isObject(spec)) return next;
  if ([live, next].some((each) => textAt(each, "spec", "type") === "ExternalName")) return next;
  const { clusterIPs: _, ...rest } = spec;
  // A manifest that no API server has completed has only the first address.
  const known = listAt(live, "spec", "clusterIPs");
  const all = known.length === 0 ? {} : { clusterIPs: known };
  return { ...next, spec: { ...rest, clusterIP: address, ...all } };
}

/** Replaces unknown addresses; "None" and "" are settings, not addresses. */
function maskAddresses(spec: JsonObject, known: readonly KubeObject[]): JsonObject {
  const given = new Set(
    known.flatMap((object) => [
      textAt(object, "spec", "clusterIP"),
      ...listAt(object, "spec", "clusterIPs"),
    ]),
  );
  const shown = (ip: Json) =>
    typeof ip !== "string" || !/[.:]/.test(ip) || given.has(ip) ? ip : allocatedPlaceholder;
  return {
    ...(spec["clusterIP"] === undefined ? {} : { clusterIP: shown(spec["clusterIP"]) }),
    ...(spec["clusterIPs"] === undefined
      ? {}
      : { clusterIPs: listAt(spec, "clusterIPs").map(shown) }),
  };
}

function maskPorts(spec: JsonObject, known: readonly KubeObject[]): JsonObject {
  const nodePorts = new Set(
    known.flatMap((object) => [
      ...listAt(object, "spec", "ports").map((port) => numberAt(port, "nodePort")),
      numberAt(object, "spec", "healthCheckNodePort"),
    ]),
  );
  const shown = (port: Json | undefined): Json | undefined =>
    typeof port !== "number" || port === 0 || nodePorts.has(port) ? port : allocatedPlaceholder;
  const list = listAt(spec, "ports").map((port) => {
    const nodePort = isObject(port) ? shown(port["nodePort"]) : undefined;
    return isObject(port) && nodePort !== undefined ? { ...port, nodePort } : port;
  });
  const health = shown(spec["healthCheckNodePort"]);
  return {
    ...(spec["ports"] === undefined ? {} : { ports: list }),
    ...(health === undefined ? {} : { healthCheckNodePort: health }),
  };
}
