import { isObject, type Json, type JsonObject, listAt, numberAt, textAt } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";

/** What stands in place of a value that the cluster chooses when the object is written for good. */
export const chosenLater = "(chosen by the cluster)";

/**
 * A dry-run allocates addresses and ports like a real request, and gives them back: the deployment will get others. `live` is what
 * the object has already and keeps; undefined for one that is made again.
 */
export function withoutAllocated(
  predicted: KubeObject,
  sent: KubeObject,
  live: KubeObject | undefined,
): KubeObject {
  if (groupOf(predicted.apiVersion) !== "" || predicted.kind !== "Service") return predicted;
  const { spec } = predicted;
  if (!isObject(spec)) return predicted;
  const known = [sent, ...(live === undefined ? [] : [live])];
  return { ...predicted, spec: { ...spec, ...addresses(spec, known), ...ports(spec, known) } };
}

/** "None" and "" are decisions, not addresses. */
function addresses(spec: JsonObject, known: readonly KubeObject[]): JsonObject {
  const given = new Set(
    known.flatMap((object) => [
      textAt(object, "spec", "clusterIP"),
      ...listAt(object, "spec", "clusterIPs"),
    ]),
  );
  const shown = (ip: Json) =>
    typeof ip !== "string" || !/[.:]/.test(ip) || given.has(ip) ? ip : chosenLater;
  return {
    ...(spec["clusterIP"] === undefined ? {} : { clusterIP: shown(spec["clusterIP"]) }),
    ...(spec["clusterIPs"] === undefined
      ? {}
      : { clusterIPs: listAt(spec, "clusterIPs").map(shown) }),
  };
}

function ports(spec: JsonObject, known: readonly KubeObject[]): JsonObject {
  const nodePorts = new Set(
    known.flatMap((object) => [
      ...listAt(object, "spec", "ports").map((port) => numberAt(port, "nodePort")),
      numberAt(object, "spec", "healthCheckNodePort"),
    ]),
  );
  const shown = (port: Json | undefined): Json | undefined =>
    typeof port !== "number" || port === 0 || nodePorts.has(port) ? port : chosenLater;
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
