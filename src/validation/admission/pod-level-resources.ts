import { hasBehavior, type ServerVersion } from "../../model/cluster/api/server-version.ts";
import {
  type Amounts,
  containerResources,
  podResources,
  readAmounts,
} from "../../model/cluster/pod-resources.ts";
import { formatQuantity } from "../../model/cluster/quantity.ts";
import { type JsonObject, listAt, objectAt } from "../../model/json.ts";
import { containerAmounts, isAbove } from "./limit-range.ts";

/* The resources of a whole Pod, `spec.resources` (KEP-2837). */

/**
 * Adds the defaults of LimitRanges to a Pod spec, and the missing resources of the whole Pod. The
 * API server fills in the latter from the containers: before the LimitRanges until Kubernetes 1.36,
 * and after them since 1.37.
 */
export function withFilledResources(
  spec: JsonObject,
  withLimitRanges: (spec: JsonObject) => JsonObject,
  server: ServerVersion | undefined,
): JsonObject {
  return hasBehavior("podLevelDefaultsAfterLimitRanges", server)
    ? withPodLimits(withPodRequests(withLimitRanges(spec)))
    : withLimitRanges(setsPodLimits(spec) ? withPodRequests(spec) : spec);
}

/** Removes the resources of the whole Pod that the API server has filled in from LimitRanges. */
export function withoutFilledResources(
  spec: JsonObject,
  declared: JsonObject,
  server: ServerVersion | undefined,
): JsonObject {
  const { resources } = declared;
  const isKept = resources === undefined || !isSet(spec);
  if (isKept || !hasBehavior("podLevelDefaultsAfterLimitRanges", server)) return spec;
  return { ...spec, resources };
}

function isSet(spec: JsonObject): boolean {
  return ["requests", "limits"].some((part) => podLevelAmounts(spec, part).size > 0);
}

function setsPodLimits(spec: JsonObject): boolean {
  return podLevelAmounts(spec, "limits").size > 0;
}

function podLevelAmounts(spec: JsonObject, part: string): Amounts {
  return readAmounts(objectAt(spec["resources"], part));
}

/** Fills in the requests of the whole Pod from its containers, or from its own limits. */
function withPodRequests(spec: JsonObject): JsonObject {
  if (!isSet(spec)) return spec;
  const amounts = [...podResources(spec, "requests")].filter(([resource]) =>
    isPodLevelResource(resource),
  );
  return withAmounts(spec, "requests", new Map(amounts));
}

/**
 * Fills in the limits of the whole Pod for the resources that each container limits. A limit is at
 * least the request.
 */
function withPodLimits(spec: JsonObject): JsonObject {
  if (!isSet(spec)) return spec;
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")];
  const limits = podResources({ ...spec, resources: {} }, "limits");
  const amounts = [...podLevelAmounts(spec, "requests")].flatMap(([resource, request]) => {
    const limit = limits.get(resource);
    const isLimited = containers.every((each) => containerResources(each, "limits").has(resource));
    return isLimited && limit !== undefined ? [[resource, Math.max(limit, request)] as const] : [];
  });
  return withAmounts(spec, "limits", new Map(amounts));
}

/** Adds the amounts that the whole Pod doesn't set. */
function withAmounts(spec: JsonObject, part: string, amounts: Amounts): JsonObject {
  const filled = [...amounts].map(([resource, amount]) => [
    resource,
    formatQuantity(amount, resource),
  ]);
  const own = objectAt(spec["resources"], part);
  const resources = objectAt(spec, "resources");
  return {
    ...spec,
    resources: { ...resources, [part]: { ...Object.fromEntries(filled), ...own } },
  };
}

/**
 * Returns the API server's messages for containers that exceed the limits or requests of their
 * whole Pod. The Pod is then invalid.
 */
export function containersAbovePod(spec: JsonObject): readonly string[] {
  const requested = podResources({ ...spec, resources: {} }, "requests");
  const requests = [...podLevelAmounts(spec, "requests")].flatMap(([resource, most]) => {
    const sum = requested.get(resource);
    if (!isPodLevelResource(resource) || sum === undefined || !isAbove(sum, most)) return [];
    return `spec.resources.requests[${resource}]: Invalid value: "${formatQuantity(most, resource)}": must be greater than or equal to aggregate container requests of ${formatQuantity(sum, resource)}`;
  });
  const limits = podLevelAmounts(spec, "limits");
  const uses = listAt(spec, "containers").flatMap((container, index) =>
    [...containerAmounts(container).limits].flatMap(([resource, limit]) => {
      const most = limits.get(resource);
      if (most === undefined || !isAbove(limit, most)) return [];
      return `spec.resources.containers[${index}][${resource}].limits: Invalid value: "${formatQuantity(limit, resource)}": must be less than or equal to pod limits of ${formatQuantity(most, resource)}`;
    }),
  );
  return [...requests, ...uses];
}

function isPodLevelResource(resource: string): boolean {
  return resource === "cpu" || resource === "memory" || resource.startsWith("hugepages-");
}
