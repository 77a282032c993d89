import { isBuiltInGroup } from "../cluster/built-in-groups.ts";
import { isObject, type Json, textAt } from "../json.ts";
import { groupOf } from "../object.ts";

/** Returns whether a list of an object, by the name of its field, means the same in any order. */
export type IsUnordered = (list: string) => boolean;

/**
 * Knows the lists of an object that the API server merges by a key, as far as their order means
 * nothing to what reads them. Every other list has an order: steps, routes and filters of custom
 * resources run one after the other, as do webhooks that change objects. Containers start in their
 * order, and environment variables can use those before them.
 */
export function unorderedLists(...sides: readonly (Json | undefined)[]): IsUnordered {
  const object = sides.find((side) => isObject(side));
  const [version, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")];
  const isBuiltIn = version !== undefined && isBuiltInGroup(groupOf(version));
  return (list) => {
    if (!isBuiltIn) return list === "ownerReferences" && version !== undefined;
    return (
      unordered.has(list) || (list === "webhooks" && kind === "ValidatingWebhookConfiguration")
    );
  };
}

/** `patchMergeKey` and `x-kubernetes-list-type: map` in the kinds of Kubernetes. */
const unordered: ReadonlySet<string> = new Set([
  ...["volumes", "volumeMounts", "volumeDevices", "ports", "imagePullSecrets", "hostAliases"],
  ...["topologySpreadConstraints", "resourceClaims", "schedulingGates", "secrets"],
  ...["ownerReferences", "conditions", "matchConditions"],
]);
