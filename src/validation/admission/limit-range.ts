import {
  type Amounts,
  containerResources,
  podResources,
  readAmounts,
} from "../../model/cluster/pod-resources.ts";
import { formatQuantity, parseQuantity } from "../../model/cluster/quantity.ts";
import {
  at,
  fieldOf,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/** Adds the requests and limits that a LimitRange gives to containers without them. */
export function withDefaults(spec: JsonObject, range: KubeObject): JsonObject {
  const defaults = containerDefaults(range);
  return mapContainerResources(spec, ({ limits, requests }) => ({
    limits: { ...defaults.limits, ...limits },
    requests: { ...defaults.requests, ...limits, ...requests },
  }));
}

/**
 * Removes the values that a Pod has from a LimitRange that the deployment changes.
 * `declared` is the spec in the Pod's template.
 */
export function withoutDefaults(
  spec: JsonObject,
  declared: JsonObject,
  range: KubeObject,
): JsonObject {
  const defaults = containerDefaults(range);
  const kept = (now: JsonObject, given: JsonObject, own: JsonObject) =>
    Object.fromEntries(
      Object.entries(now).filter(
        ([name, value]) => Object.hasOwn(own, name) || !isSameAmount(value, fieldOf(given, name)),
      ),
    );
  const templates = new Map(
    podContainers(declared).map((each) => [textAt(each, "name"), readResources(each)]),
  );
  return mapContainerResources(spec, ({ limits, requests }, name) => {
    const own = templates.get(name);
    return {
      limits: kept(limits, defaults.limits, own?.limits ?? {}),
      requests: kept(requests, defaults.requests, { ...own?.limits, ...own?.requests }),
    };
  });
}

interface Resources {
  readonly limits: JsonObject;
  readonly requests: JsonObject;
}

function mapContainerResources(
  spec: JsonObject,
  change: (now: Resources, name: string | undefined) => Resources,
): JsonObject {
  const inList = (list: string) =>
    listAt(spec, list).map((container) => ({
      ...(container as JsonObject),
      resources: {
        ...objectAt(container, "resources"),
        ...change(readResources(container), textAt(container, "name")),
      },
    }));
  const initContainers = inList("initContainers");
  return {
    ...{ ...spec, containers: inList("containers") },
    ...(initContainers.length > 0 && { initContainers }),
  };
}

function podContainers(spec: JsonObject): readonly Json[] {
  return [...listAt(spec, "containers"), ...listAt(spec, "initContainers")];
}

function readResources(container: Json | undefined): Resources {
  const resources = objectAt(container, "resources");
  return { limits: objectAt(resources, "limits"), requests: objectAt(resources, "requests") };
}

function isSameAmount(a: Json, b: Json | undefined): boolean {
  return b !== undefined && parseQuantity(a) === parseQuantity(b);
}

/**
 * Returns the container defaults, completed as the API server does when it stores a LimitRange.
 */
function containerDefaults(range: KubeObject): Resources {
  const item = listAt(range, "spec", "limits").find((each) => textAt(each, "type") === "Container");
  const limits = { ...objectAt(item, "max"), ...objectAt(item, "default") };
  return {
    limits,
    requests: { ...objectAt(item, "min"), ...limits, ...objectAt(item, "defaultRequest") },
  };
}

/**
 * Returns the API server's messages for a Pod that violates a LimitRange.
 * `isWhole` is true if the Pod has all its defaults; otherwise other objects can fill in unset
 * values.
 */
export function limitRangeViolations(
  spec: JsonObject,
  range: KubeObject,
  hasAllDefaults: boolean,
): readonly string[] {
  return readLimits(range).flatMap((limit) => {
    const amountsByType = {
      Container: podContainers(spec).map(containerAmounts),
      Pod: [podAmounts(spec)],
    };
    const amounts = fieldOf(amountsByType, limit.type) ?? [];
    // If some containers set nothing, the sum is only a lower bound.
    const isCertain = hasAllDefaults || limit.type === "Container";
    return amounts.flatMap((each) => [
      ...(isCertain ? minimumViolations(each, limit, hasAllDefaults) : []),
      ...maximumViolations(each, limit, "limit", hasAllDefaults),
      ...(isCertain ? ratioViolations(each, limit, hasAllDefaults) : []),
    ]);
  });
}

export function containerAmounts(container: Json): ResourceAmounts {
  const of = (part: "requests" | "limits") => containerResources(container, part);
  return { requests: of("requests"), limits: of("limits") };
}

function podAmounts(spec: JsonObject): ResourceAmounts {
  const of = (part: "requests" | "limits") => podResources(spec, part);
  return { requests: of("requests"), limits: of("limits") };
}

/**
 * Returns the API server's messages for containers that request more than their limit from a
 * LimitRange.
 * The API server rejects such a Pod as invalid.
 */
export function requestsAboveLimits(spec: JsonObject): readonly string[] {
  return ["containers", "initContainers"].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) => {
      const { requests, limits } = containerAmounts(container);
      return [...requests].flatMap(([resource, request]) => {
        const limit = limits.get(resource);
        if (limit === undefined || !isAbove(request, limit)) return [];
        const value = formatQuantity(request, resource);
        return `spec.${list}[${index}].resources.requests: Invalid value: "${value}": must be less than or equal to ${resource} limit of ${formatQuantity(limit, resource)}`;
      });
    }),
  );
}

/**
 * Returns the API server's messages for a claim that violates a LimitRange; only its requests
 * count.
 */
export function claimLimitViolations(claim: Json, range: KubeObject): readonly string[] {
  const requests = readAmounts(at(claim, "spec", "resources", "requests"));
  return readLimits(range)
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...minimumViolations({ requests, limits: new Map() }, limit, true),
      ...maximumViolations({ requests, limits: requests }, limit, "request", true),
    ]);
}

interface Limit {
  readonly type: string;
  readonly item: Json;
}

function readLimits(range: KubeObject): readonly Limit[] {
  return listAt(range, "spec", "limits").map((item) => ({
    type: textAt(item, "type") ?? "",
    item,
  }));
}

interface ResourceAmounts {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type LimitBound = readonly [resource: string, amount: number, text: string];

function readBounds(item: Json, name: string): readonly LimitBound[] {
  const texts = objectAt(item, name);
  return [...readAmounts(texts)].map(([resource, amount]) => {
    const text = fieldOf(texts, resource);
    return [resource, amount, typeof text === "string" ? text : formatQuantity(amount, resource)];
  });
}

function minimumViolations(
  { requests, limits }: ResourceAmounts,
  { type, item }: Limit,
  hasAllDefaults: boolean,
): readonly string[] {
  return readBounds(item, "min").flatMap(([resource, least, text]) => {
    const [request, limit] = [requests.get(resource), limits.get(resource)];
    const what = `minimum ${resource} usage per ${type} is ${text}`;
    if (request === undefined) return hasAllDefaults ? `${what}.  No request is specified` : [];
    if (isAbove(least, request))
      return `${what}, but request is ${formatQuantity(request, resource)}`;
    return limit !== undefined && isAbove(least, limit)
      ? `${what}, but limit is ${formatQuantity(limit, resource)}`
      : [];
  });
}

/** Compares the limit with the maximum, and the request if no limit is set. */
function maximumViolations(
  { requests, limits }: ResourceAmounts,
  { type, item }: Limit,
  field: "limit" | "request",
  hasAllDefaults: boolean,
): readonly string[] {
  return readBounds(item, "max").flatMap(([resource, most, text]) => {
    const [request = 0, limit] = [requests.get(resource), limits.get(resource)];
    const what = `maximum ${resource} usage per ${type} is ${text}`;
    if (limit === undefined && hasAllDefaults) return `${what}.  No ${field} is specified`;
    if (limit !== undefined && isAbove(limit, most))
      return `${what}, but ${field} is ${formatQuantity(limit, resource)}`;
    return isAbove(request, most)
      ? `${what}, but request is ${formatQuantity(request, resource)}`
      : [];
  });
}

function ratioViolations(
  { requests, limits }: ResourceAmounts,
  { type, item }: Limit,
  hasAllDefaults: boolean,
): readonly string[] {
  return readBounds(item, "maxLimitRequestRatio").flatMap(([resource, most, text]) => {
    const [request = 0, limit = 0] = [requests.get(resource), limits.get(resource)];
    if (!hasAllDefaults && (request === 0 || limit === 0)) return [];
    const what = `${resource} max limit to request ratio per ${type} is ${text}, but`;
    if (request === 0) return `${what} no request is specified or request is 0`;
    if (limit === 0) return `${what} no limit is specified or limit is 0`;
    return isAbove(limit / request, most)
      ? `${what} provided ratio is ${(limit / request).toFixed(6)}`
      : [];
  });
}

/** Compares with a tolerance, because sums and ratios of fractions aren't exact. */
export function isAbove(amount: number, bound: number): boolean {
  return amount > bound * (1 + 1e-9);
}
