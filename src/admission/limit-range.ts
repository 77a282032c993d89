import {
  type Amounts,
  amountsAt,
  resourcesOf,
  resourcesOfPod,
} from "../model/cluster/pod-resources.ts";
import { quantityOf, quantityText } from "../model/cluster/quantity.ts";
import {
  at,
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/** A Pod with the requests and limits that a LimitRange gives to containers that declare none. */
export function withDefaults(
  spec: JsonObject,
  declared: JsonObject,
  range: KubeObject,
): JsonObject {
  const defaults = defaultsIn(range);
  return inContainers(spec, declared, ({ limits, requests }, own) => ({
    limits: { ...limits, ...defaults.limits, ...own.limits },
    requests: { ...requests, ...defaults.requests, ...own.limits, ...own.requests },
  }));
}

/** The same without what it has from a LimitRange that will be another one. */
export function withoutDefaults(
  spec: JsonObject,
  declared: JsonObject,
  range: KubeObject,
): JsonObject {
  const defaults = defaultsIn(range);
  const kept = (now: JsonObject, given: JsonObject, own: JsonObject) =>
    Object.fromEntries(
      Object.entries(now).filter(
        ([name, value]) => Object.hasOwn(own, name) || !isSameAmount(value, fieldOf(given, name)),
      ),
    );
  return inContainers(spec, declared, ({ limits, requests }, own) => ({
    limits: kept(limits, defaults.limits, own.limits),
    requests: kept(requests, defaults.requests, { ...own.limits, ...own.requests }),
  }));
}

interface Resources {
  readonly limits: JsonObject;
  readonly requests: JsonObject;
}

/** `own` is what the template of the container declares. */
function inContainers(
  spec: JsonObject,
  declared: JsonObject,
  change: (now: Resources, own: Resources) => Resources,
): JsonObject {
  const inField = (field: "containers" | "initContainers") => {
    const templates = new Map(listAt(declared, field).map((each) => [textAt(each, "name"), each]));
    return listAt(spec, field).map((container) => {
      const own = resourcesIn(templates.get(textAt(container, "name")));
      const resources = change(resourcesIn(container), own);
      return {
        ...(container as JsonObject),
        resources: { ...objectAt(container, "resources"), ...resources },
      };
    });
  };
  const initContainers = inField("initContainers");
  return {
    ...{ ...spec, containers: inField("containers") },
    ...(initContainers.length > 0 && { initContainers }),
  };
}

function resourcesIn(container: Json | undefined): Resources {
  const resources = objectAt(container, "resources");
  return { limits: objectAt(resources, "limits"), requests: objectAt(resources, "requests") };
}

function isSameAmount(a: Json, b: Json | undefined): boolean {
  return b !== undefined && quantityOf(a) === quantityOf(b);
}

/** The server completes a LimitRange like this when it stores it. */
function defaultsIn(range: KubeObject): Resources {
  const item = listAt(range, "spec", "limits").find((each) => textAt(each, "type") === "Container");
  const limits = { ...objectAt(item, "max"), ...objectAt(item, "default") };
  return {
    limits,
    requests: { ...objectAt(item, "min"), ...limits, ...objectAt(item, "defaultRequest") },
  };
}

/** What a LimitRange says against a Pod that has all defaults, in the words of the server. */
export function limitsExceeded(spec: JsonObject, range: KubeObject): readonly string[] {
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")];
  return limitsOf(range).flatMap((limit) => {
    switch (limit.type) {
      case "Container":
        return containers.flatMap((container) =>
          exceededBy(
            {
              requests: resourcesOf(container, "requests"),
              limits: resourcesOf(container, "limits"),
            },
            limit,
          ),
        );
      case "Pod":
        return exceededBy(
          { requests: resourcesOfPod(spec, "requests"), limits: resourcesOfPod(spec, "limits") },
          limit,
        );
      default:
        return [];
    }
  });
}

/** The same of a claim, of which only what it requests counts. */
export function claimLimitsExceeded(claim: Json, range: KubeObject): readonly string[] {
  const requests = amountsAt(at(claim, "spec", "resources", "requests"));
  return limitsOf(range)
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...below({ requests, limits: new Map() }, limit),
      ...above({ requests, limits: requests }, limit, "request"),
    ]);
}

interface Limit {
  readonly type: string;
  readonly item: Json;
}

function limitsOf(range: KubeObject): readonly Limit[] {
  return listAt(range, "spec", "limits").map((item) => ({
    type: textAt(item, "type") ?? "",
    item,
  }));
}

interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function exceededBy(asked: Asked, limit: Limit): readonly string[] {
  return [...below(asked, limit), ...above(asked, limit, "limit"), ...ratios(asked, limit)];
}

type Bound = readonly [resource: string, amount: number, text: string];

function boundsOf(item: Json, name: string): readonly Bound[] {
  const texts = objectAt(item, name);
  return [...amountsAt(texts)].map(([resource, amount]) => {
    const text = fieldOf(texts, resource);
    return [resource, amount, typeof text === "string" ? text : quantityText(amount, resource)];
  });
}

function below({ requests, limits }: Asked, { type, item }: Limit): readonly string[] {
  return boundsOf(item, "min").flatMap(([resource, least, text]) => {
    const [request, limit] = [requests.get(resource), limits.get(resource)];
    const what = `minimum ${resource} usage per ${type} is ${text}`;
    if (request === undefined) return `${what}.  No request is specified`;
    if (isAbove(least, request))
      return `${what}, but request is ${quantityText(request, resource)}`;
    return limit !== undefined && isAbove(least, limit)
      ? `${what}, but limit is ${quantityText(limit, resource)}`
      : [];
  });
}

/** By the limit, or of what has none by the request. */
function above(
  { requests, limits }: Asked,
  { type, item }: Limit,
  asked: "limit" | "request",
): readonly string[] {
  return boundsOf(item, "max").flatMap(([resource, most, text]) => {
    const [request = 0, limit] = [requests.get(resource), limits.get(resource)];
    const what = `maximum ${resource} usage per ${type} is ${text}`;
    if (limit === undefined) return `${what}.  No ${asked} is specified`;
    if (isAbove(limit, most)) return `${what}, but ${asked} is ${quantityText(limit, resource)}`;
    return isAbove(request, most)
      ? `${what}, but request is ${quantityText(request, resource)}`
      : [];
  });
}

function ratios({ requests, limits }: Asked, { type, item }: Limit): readonly string[] {
  return boundsOf(item, "maxLimitRequestRatio").flatMap(([resource, most, text]) => {
    const [request = 0, limit = 0] = [requests.get(resource), limits.get(resource)];
    const what = `${resource} max limit to request ratio per ${type} is ${text}, but`;
    if (request === 0) return `${what} no request is specified or request is 0`;
    if (limit === 0) return `${what} no limit is specified or limit is 0`;
    return isAbove(limit / request, most)
      ? `${what} provided ratio is ${(limit / request).toFixed(6)}`
      : [];
  });
}

/** Sums and ratios of fractions are not exact. */
function isAbove(amount: number, bound: number): boolean {
  return amount > bound * (1 + 1e-9);
}

function objectAt(value: Json | undefined, name: string): JsonObject {
  const found = at(value, name);
  return isObject(found) ? found : {};
}
