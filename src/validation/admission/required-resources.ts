import { containerResources, readAmounts } from "../../model/cluster/pod-resources.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { matchesScopes } from "./quota-scopes.ts";

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
