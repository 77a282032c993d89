import { amountsAt, resourcesOf } from "../model/cluster/pod-resources.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { isInScopes } from "./quota-scopes.ts";

/** What a quota that counts these asks of each container; of other resources it counts what is there. */
const asked: readonly string[] = ["cpu", "memory"].flatMap((name) => [
  name,
  `limits.${name}`,
  `requests.${name}`,
]);

/**
 * What the server says to a Pod with containers that do not set what a quota counts, in its words: `failed quota: most: must
 * specify limits.cpu for: web`. undefined where it counts the Pod as it is, or not at all.
 */
export function unspecifiedIn(spec: JsonObject, quota: KubeObject): string | undefined {
  const hard = at(quota, "spec", "hard");
  const isWhole = ["requests", "limits"].some(
    (part) => amountsAt(at(spec, "resources", part)).size > 0,
  );
  if (isWhole || !isInScopes(spec, quota)) return undefined;
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  const missing = asked
    .filter((resource) => isObject(hard) && Object.hasOwn(hard, resource))
    .toSorted()
    .flatMap((resource) => {
      const names = containers
        .filter((container) => !isSet(container as JsonObject, resource))
        .map((container) => textAt(container, "name") ?? "");
      return names.length === 0 ? [] : `${resource} for: ${names.toSorted().join(",")}`;
    });
  if (missing.length === 0) return undefined;
  return `failed quota: ${textAt(quota, "metadata", "name")}: must specify ${missing.join("; ")}`;
}

/** `limits.cpu`, `requests.cpu`, or `cpu`, which means what it requests. */
function isSet(container: JsonObject, resource: string): boolean {
  const [part, name] = resource.includes(".") ? resource.split(".") : ["requests", resource];
  return resourcesOf(container, part === "limits" ? "limits" : "requests").has(name ?? "");
}
