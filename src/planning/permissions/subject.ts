import { isDnsLabel } from "../../model/cluster/dns-label.ts";
import type { JsonObject } from "../../model/json.ts";

/** The identity that gets the permissions. */
export type RoleSubject =
  | { readonly type: "serviceaccount"; readonly namespace: string; readonly name: string }
  | { readonly type: "user" | "group"; readonly name: string };

/**
 * Parses `serviceaccount:NAMESPACE/NAME`, `user:NAME` or `group:NAME`; returns undefined for
 * anything else.
 */
export function parseRoleSubject(text: string): RoleSubject | undefined {
  const [, type = "", name = ""] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  if (type === "user" || type === "group") return { type, name };
  const [namespace = "", serviceAccount = "", ...rest] = name.split("/");
  const isServiceAccount =
    isDnsLabel(namespace) && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(serviceAccount);
  if (type !== "serviceaccount" || !isServiceAccount || rest.length > 0) return undefined;
  return { type, namespace, name: serviceAccount };
}

/** Returns the subject in the form that a binding contains. */
export function subjectJson(subject: RoleSubject): JsonObject {
  switch (subject.type) {
    case "serviceaccount":
      return { kind: "ServiceAccount", name: subject.name, namespace: subject.namespace };
    case "user":
      return { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: subject.name };
    case "group":
      return { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: subject.name };
  }
}

/**
 * Returns a CEL expression that is true for requests of the subject.
 * Each JSON string is also a CEL string.
 */
export function subjectExpression(subject: RoleSubject): string {
  switch (subject.type) {
    case "serviceaccount": {
      const user = `system:serviceaccount:${subject.namespace}:${subject.name}`;
      return `request.userInfo.username == ${JSON.stringify(user)}`;
    }
    case "user":
      return `request.userInfo.username == ${JSON.stringify(subject.name)}`;
    case "group":
      return `${JSON.stringify(subject.name)} in request.userInfo.groups`;
  }
}
