import { isObject, type Json, listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Permission } from "./permission.ts";

const rbac = "rbac.authorization.k8s.io";

/**
 * Lists the permissions that Kubernetes requires of an identity that writes Roles and bindings.
 * These are the permissions of a Role, and the verb `bind` on the role of a binding
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/, section "Privilege escalation
 * prevention and bootstrapping").
 */
export function grantedPermissions(objects: readonly KubeObject[]): readonly Permission[] {
  return objects.flatMap((object) => {
    const { group, kind, namespace, name } = idOf(object);
    if (group !== rbac) return [];
    const place = namespace === "" ? undefined : namespace;
    switch (kind) {
      case "Role":
        return listAt(object, "rules").flatMap((rule) => rulePermissions(rule, place));
      case "ClusterRole":
        // The aggregated rules are unknown, so only `escalate` on the ClusterRole is certain to be
        // enough.
        return isObject(object["aggregationRule"])
          ? [{ namespace: place, group, resource: "clusterroles", verb: "escalate", name }]
          : listAt(object, "rules").flatMap((rule) => rulePermissions(rule, place));
      case "RoleBinding":
      case "ClusterRoleBinding":
        return bindPermission(object, place);
      default:
        return [];
    }
  });
}

/** Lists the permissions in a rule. Leaves out rules for URLs, because these name no resource. */
function rulePermissions(rule: Json, namespace: string | undefined): readonly Permission[] {
  const names = ruleStrings(rule, "resourceNames");
  return ruleStrings(rule, "apiGroups").flatMap((group) =>
    ruleStrings(rule, "resources").flatMap((resource) =>
      ruleStrings(rule, "verbs").flatMap((verb) =>
        (names.length === 0 ? [undefined] : names).map((name) => ({
          ...{ namespace, group, resource, verb, name },
        })),
      ),
    ),
  );
}

function bindPermission(binding: KubeObject, namespace: string | undefined): readonly Permission[] {
  const name = textAt(binding, "roleRef", "name");
  const resource = textAt(binding, "roleRef", "kind") === "Role" ? "roles" : "clusterroles";
  return name === undefined ? [] : [{ namespace, group: rbac, resource, verb: "bind", name }];
}

function ruleStrings(rule: Json, field: string): readonly string[] {
  return listAt(rule, field).filter((text) => typeof text === "string");
}
