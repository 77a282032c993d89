import { containerResources, readAmounts } from "../../model/cluster/pod-resources.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/**
 * Lists the scopes that limit which Pods a quota counts
 * (kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes).
 */
export function quotaScopes(quota: KubeObject): readonly Json[] {
  return [
    ...listAt(quota, "spec", "scopes").map((scope) => ({ scopeName: scope, operator: "Exists" })),
    ...listAt(quota, "spec", "scopeSelector", "matchExpressions"),
  ];
}

export function matchesScopes(pod: JsonObject, quota: KubeObject): boolean {
  return quotaScopes(quota).every((each) => matchesScope(pod, each as JsonObject));
}

function matchesScope(pod: JsonObject, scope: JsonObject): boolean {
  const hasDeadline = at(pod, "activeDeadlineSeconds") !== undefined;
  const containers = [...listAt(pod, "initContainers"), ...listAt(pod, "containers")];
  const isBestEffort = ![pod, ...containers].some(setsCpuOrMemory);
  switch (scope["scopeName"]) {
    case "Terminating":
      return hasDeadline;
    case "NotTerminating":
      return !hasDeadline;
    case "BestEffort":
      return isBestEffort;
    case "NotBestEffort":
      return !isBestEffort;
    case "PriorityClass":
      return matchesPriority(textAt(pod, "priorityClassName"), scope);
    case "CrossNamespacePodAffinity":
      return affinityTerms(pod).some(
        (term) =>
          listAt(term, "namespaces").length > 0 || at(term, "namespaceSelector") !== undefined,
      );
    default:
      return false;
  }
}

function affinityTerms(pod: JsonObject): readonly Json[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((kind) => {
    const listed = (name: string) =>
      listAt(pod, "affinity", kind, `${name}DuringSchedulingIgnoredDuringExecution`);
    const preferred = listed("preferred").map((each) => at(each, "podAffinityTerm") ?? null);
    return [...listed("required"), ...preferred];
  });
}

/**
 * Reports whether a container sets CPU or memory, the only resources that decide the QoS class.
 */
function setsCpuOrMemory(container: Json): boolean {
  return ["requests", "limits"].some((part) =>
    ["cpu", "memory"].some(
      (name) => (parseQuantity(at(container, "resources", part, name)) ?? 0) > 0,
    ),
  );
}

function matchesPriority(priority: string | undefined, scope: JsonObject): boolean {
  const values = listAt(scope, "values");
  switch (scope["operator"]) {
    case "In":
      return priority !== undefined && values.includes(priority);
    case "NotIn":
      return priority === undefined || !values.includes(priority);
    case "DoesNotExist":
      return priority === undefined;
    default:
      return priority !== undefined;
  }
}

/**
 * The resources that every container must set if a quota counts them.
 * Other resources are optional: the quota counts the values that exist.
 */
const requirableResources: readonly string[] = ["cpu", "memory"].flatMap((name) => [
  name,
  `limits.${name}`,
  `requests.${name}`,
]);

/**
 * Returns the API server's message for a Pod whose containers don't set a resource that the quota
 * counts.
 * Example: `failed quota: most: must specify limits.cpu for: web`.
 * Returns undefined if the quota accepts the Pod, or doesn't count it.
 */
export function missingResourcesViolation(spec: JsonObject, quota: KubeObject): string | undefined {
  const hard = at(quota, "spec", "hard");
  const hasPodResources = ["requests", "limits"].some(
    (part) => readAmounts(at(spec, "resources", part)).size > 0,
  );
  if (hasPodResources || !matchesScopes(spec, quota)) return undefined;
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  const missing = requirableResources
    .filter((resource) => isObject(hard) && Object.hasOwn(hard, resource))
    .toSorted()
    .flatMap((resource) => {
      const names = containers
        .filter((container) => !setsResource(container as JsonObject, resource))
        .map((container) => textAt(container, "name") ?? "");
      return names.length === 0 ? [] : `${resource} for: ${names.toSorted().join(",")}`;
    });
  if (missing.length === 0) return undefined;
  return `failed quota: ${textAt(quota, "metadata", "name")}: must specify ${missing.join("; ")}`;
}

/**
 * Reports whether a container sets `limits.cpu`, `requests.cpu`, or `cpu`, which means the request.
 */
function setsResource(container: JsonObject, resource: string): boolean {
  const [part, name] = resource.includes(".") ? resource.split(".") : ["requests", resource];
  return containerResources(container, part === "limits" ? "limits" : "requests").has(name ?? "");
}
