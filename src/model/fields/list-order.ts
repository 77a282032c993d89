import { isBuiltInGroup } from "../cluster/built-in-groups.ts";
import { isObject, type Json, textAt } from "../json.ts";
import { groupOf } from "../object.ts";

/** Reports whether the order of an object's list has no meaning, by the name of its field. */
export type IsUnordered = (list: string) => boolean;

/**
 * Returns a test for the lists that the API server merges by a key and whose order has no meaning.
 * In every other list, the order matters. Steps, routes and filters of custom resources, and
 * mutating webhooks, run one after the other. Containers start in their order. An environment
 * variable can use the variables before it.
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

/** Lists with `patchMergeKey` or `x-kubernetes-list-type: map` in the kinds of Kubernetes. */
const unordered: ReadonlySet<string> = new Set([
  ...["volumes", "volumeMounts", "volumeDevices", "ports", "imagePullSecrets", "hostAliases"],
  ...["topologySpreadConstraints", "resourceClaims", "schedulingGates", "secrets"],
  ...["ownerReferences", "conditions", "matchConditions"],
]);
