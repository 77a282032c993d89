/** The commands that talk to the cluster about one deployment. */
export const rightsCommands = [
  "preview",
  "deploy",
  "rollback",
  "drift",
  "reconcile",
  "delete",
] as const;
export type RightsCommand = (typeof rightsCommands)[number];

/** What requests an identity may send: a rule of a Role (https://kubernetes.io/docs/reference/access-authn-authz/rbac/). */
export interface Right {
  /** undefined for cluster-scoped objects, and for those of all namespaces. */
  readonly namespace: string | undefined;
  /** Empty for the core group. */
  readonly group: string;
  /** With its subresource, as in `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Of one object; undefined for all. Kubernetes knows no name when it lists, watches or creates. */
  readonly name: string | undefined;
}

/** A right, and what a command needs it for. */
export interface NeededRight extends Right {
  /** What it is for, for a comment. */
  readonly why: string;
  /** A sentence, where the command does its work without it: what is not told then, or is told less well. */
  readonly without: string | undefined;
}
