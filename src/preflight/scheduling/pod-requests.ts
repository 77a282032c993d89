import {
  type Amounts,
  isSidecar,
  podResources,
  readAmounts,
  sumAmounts,
} from "../../model/cluster/pod-resources.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import {
  at,
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/**
 * Returns the free resources that a Pod requires on a node, with the overhead of its runtime.
 * Every Pod uses one of the places that a node has for Pods.
 */
export function podRequests(spec: Json): Amounts {
  const overhead = readAmounts(at(spec, "overhead"));
  return sumAmounts(podResources(spec, "requests"), overhead, new Map([["pods", 1]]));
}

/**
 * Returns the spec of a running Pod with the requests that the scheduler counts.
 * During an in-place resize, each is the largest of three: the spec's request, the amount that the
 * node has allocated, and the current amount
 * (kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources).
 */
export function withCountedRequests(pod: KubeObject): JsonObject {
  const spec = (at(pod, "spec") ?? {}) as JsonObject;
  const isInfeasible = listAt(pod, "status", "conditions").some(
    (each) =>
      textAt(each, "type") === "PodResizePending" && textAt(each, "reason") === "Infeasible",
  );
  const counted = (owner: Json, status: Json | undefined) =>
    countedRequests(owner, status, isInfeasible);
  const statuses = new Map(
    [
      ...listAt(pod, "status", "containerStatuses"),
      ...listAt(pod, "status", "initContainerStatuses"),
    ]
      .filter((status) => at(status, "resources") !== undefined)
      .map((status) => [textAt(status, "name"), status]),
  );
  const ofContainer = (container: Json) =>
    counted(container, statuses.get(textAt(container, "name")));
  const initContainers = listAt(spec, "initContainers").map((container) =>
    isSidecar(container) ? ofContainer(container) : container,
  );
  const whole = at(pod, "status", "resources") === undefined ? undefined : at(pod, "status");
  return {
    ...(counted(
      spec,
      at(spec, "resources", "requests") === undefined ? undefined : whole,
    ) as JsonObject),
    containers: listAt(spec, "containers").map(ofContainer),
    ...(initContainers.length > 0 && { initContainers }),
  };
}

function countedRequests(owner: Json, status: Json | undefined, isInfeasible: boolean): Json {
  if (status === undefined) return owner;
  const own = at(owner, "resources", "requests");
  const requests = [
    ...(isInfeasible ? [] : [own]),
    at(status, "resources", "requests"),
    at(status, "allocatedResources"),
  ].reduce<JsonObject>(maxQuantities, {});
  const resources = at(owner, "resources");
  return {
    ...(owner as JsonObject),
    resources: { ...(isObject(resources) && resources), requests },
  };
}

function maxQuantities(most: JsonObject, next: Json | undefined): JsonObject {
  const more = Object.entries(isObject(next) ? next : {}).filter(
    ([name, quantity]) =>
      (parseQuantity(quantity) ?? 0) > (parseQuantity(fieldOf(most, name)) ?? -1),
  );
  return { ...most, ...Object.fromEntries(more) };
}
