import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import { isCrdManifest } from "../../model/cluster/namespaces-and-crds.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import { isClusterScoped, kindKey } from "../../model/kinds.ts";
import { groupOf } from "../../model/object.ts";

/** Reports whether an object belongs to a namespace. */
export type IsNamespaced = (object: JsonObject) => boolean;

/**
 * Returns the check for the objects of a config. Its own CustomResourceDefinitions decide about
 * custom kinds. An unknown kind counts as namespaced: the planner asks the cluster, and removes the
 * namespace of a cluster-scoped object.
 */
export function createScopeCheck(objects: readonly JsonObject[]): IsNamespaced {
  const scopes = new Map(
    objects.filter(isCrdManifest).map((definition) => {
      const group = textAt(definition, "spec", "group") ?? "";
      const kind = textAt(definition, "spec", "names", "kind") ?? "";
      return [kindKey({ group, kind }), textAt(definition, "spec", "scope")] as const;
    }),
  );
  return (object) => {
    const group = groupOf(textAt(object, "apiVersion") ?? "");
    const kind = textAt(object, "kind") ?? "";
    if (isBuiltInGroup(group)) return !isClusterScoped({ group, kind });
    return scopes.get(kindKey({ group, kind })) !== "Cluster";
  };
}
