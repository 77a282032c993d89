import { isObject, type Json, listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Right } from "./right.ts";

const rbac = "rbac.authorization.k8s.io";

/**
 * What Kubernetes demands of whoever writes Roles and bindings: the rights that a Role gives, and the verb `bind` on what a binding
 * binds (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping).
 */
export function grantsOf(objects: readonly KubeObject[]): readonly Right[] {
  return objects.flatMap((object) => {
    const { group, kind, namespace, name } = idOf(object);
    if (group !== rbac) return [];
    const place = namespace === "" ? undefined : namespace;
    switch (kind) {
      case "Role":
        return listAt(object, "rules").flatMap((rule) => rightsIn(rule, place));
      case "ClusterRole":
        // Nobody knows what is aggregated, so only the right to any of it will do.
        return isObject(object["aggregationRule"])
          ? [{ namespace: place, group, resource: "clusterroles", verb: "escalate", name }]
          : listAt(object, "rules").flatMap((rule) => rightsIn(rule, place));
      case "RoleBinding":
      case "ClusterRoleBinding":
        return bindingOf(object, place);
      default:
        return [];
    }
  });
}

/** A rule for URLs that belong to no resource is left out: RBAC has no such thing as a part of it to give away. */
function rightsIn(rule: Json, namespace: string | undefined): readonly Right[] {
  const names = textsIn(rule, "resourceNames");
  return textsIn(rule, "apiGroups").flatMap((group) =>
    textsIn(rule, "resources").flatMap((resource) =>
      textsIn(rule, "verbs").flatMap((verb) =>
        (names.length === 0 ? [undefined] : names).map((name) => ({
          ...{ namespace, group, resource, verb, name },
        })),
      ),
    ),
  );
}

function bindingOf(binding: KubeObject, namespace: string | undefined): readonly Right[] {
  const name = textAt(binding, "roleRef", "name");
  const resource = textAt(binding, "roleRef", "kind") === "Role" ? "roles" : "clusterroles";
  return name === undefined ? [] : [{ namespace, group: rbac, resource, verb: "bind", name }];
}

function textsIn(rule: Json, field: string): readonly string[] {
  return listAt(rule, field).filter((text) => typeof text === "string");
}
