/** The commands that send requests to the cluster of one deployment. */
const permissionCommands = [
  "preview",
  "deploy",
  "rollback",
  "drift",
  "reconcile",
  "delete",
] as const;
export type PermissionCommand = (typeof permissionCommands)[number];

/** The purposes of roles: a command, or the preview environments of an entry. */
export const roleCommands = [...permissionCommands, "environments"] as const;
export type RoleCommand = (typeof roleCommands)[number];

/**
 * A permission to send requests: a rule of a Role
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
 */
export interface Permission {
  /** The namespace; undefined for cluster-scoped objects, and for all namespaces. */
  readonly namespace: string | undefined;
  /** The API group; empty for the core group. */
  readonly group: string;
  /** The resource with its subresource, as in `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /**
   * The name of one object; undefined for all objects.
   * Requests to list, watch or create have no name in Kubernetes.
   */
  readonly name: string | undefined;
}

/** A permission, and the reason why a command needs it. */
export interface CommandPermission extends Permission {
  /** The reason, for a comment in the role. */
  readonly why: string;
  /**
   * The effect if the permission is missing, as a sentence; undefined if the command requires it.
   */
  readonly without: string | undefined;
}
