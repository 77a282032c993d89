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
