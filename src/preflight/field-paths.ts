import { podSpecOf } from "../model/cluster/pods.ts";
import { at, isObject, type Json, listAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Obstacle } from "./scheduling/simulated-cluster.ts";

/** Returns the path of the declared field that keeps its Pods from a node. */
export function obstaclePath(
  obstacle: Obstacle | undefined,
  declared: KubeObject,
): readonly string[] | undefined {
  const pods = podSpecOf(declared);
  if (pods === undefined || obstacle === undefined) return undefined;
  const { spec, path } = pods;
  switch (obstacle.type) {
    case "room":
      return requestPath(obstacle.resource, declared);
    case "not chosen":
      return [
        ...path,
        ...(isObject(spec.nodeSelector) ? ["nodeSelector"] : ["affinity", "nodeAffinity"]),
      ];
    case "affinity":
      return [...path, "affinity", "podAffinity"];
    case "anti-affinity":
      return [...path, "affinity", "podAntiAffinity"];
    case "spread":
      return [...path, "topologySpreadConstraints"];
    case "host port":
      return findInContainers(declared, (container) => {
        const index = listAt(container, "ports").findIndex(
          (port) => at(port, "hostPort") !== undefined,
        );
        return index < 0 ? undefined : ["ports", String(index), "hostPort"];
      });
    case "attachments":
    case "claim":
    case "volume":
      return listAt(declared, "spec", "volumeClaimTemplates").length > 0
        ? ["spec", "volumeClaimTemplates"]
        : [...path, "volumes"];
    case "tainted":
      return undefined;
  }
}

/**
 * Returns the path of the first request for a resource, or of its limit if there is no request.
 */
export function requestPath(resource: string, declared: KubeObject): readonly string[] | undefined {
  return findInContainers(declared, (container) => {
    const part = ["requests", "limits"].find(
      (each) => at(container, "resources", each, resource) !== undefined,
    );
    return part === undefined ? undefined : ["resources", part, resource];
  });
}

/** Returns the path of an image. */
export function imagePath(image: string, declared: KubeObject): readonly string[] | undefined {
  return findInContainers(declared, (container) =>
    at(container, "image") === image ? ["image"] : undefined,
  );
}

function findInContainers(
  declared: KubeObject,
  find: (container: Json) => readonly string[] | undefined,
): readonly string[] | undefined {
  const pods = podSpecOf(declared);
  const found = ["initContainers", "containers"].flatMap((list) =>
    listAt(pods?.spec, list).flatMap((container, index) => {
      const below = find(container);
      return below === undefined ? [] : [[...(pods?.path ?? []), list, String(index), ...below]];
    }),
  );
  return found[0];
}
