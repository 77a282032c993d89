import type { RoleDocument, RoleRule } from "../../model/cluster/role-document.ts";
import type { Deployment } from "../../model/deployment.ts";
import { dryRunPolicy } from "./dry-run-policy.ts";
import type { CommandPermission, PermissionCommand } from "./permission.ts";
import { roleName } from "./role-name.ts";
import { type RoleSubject, subjectJson } from "./subject.ts";

export interface RolesRequest {
  readonly command: PermissionCommand;
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly subject: RoleSubject;
  readonly rights: readonly CommandPermission[];
}

/**
 * Returns roles with exactly these permissions, and their bindings.
 * Each namespace has one role for required and one for optional permissions. The cluster-wide roles
 * are last. The policy that restricts an identity to dry runs is first, before any permission.
 */
export function buildRoles(request: RolesRequest): readonly RoleDocument[] {
  const { command, rights } = request;
  const namespaces = [...new Set(rights.map(({ namespace }) => namespace))].toSorted(
    compareNamespaces,
  );
  const roles = namespaces.flatMap((namespace) => {
    const here = rights.filter((right) => right.namespace === namespace);
    const [needed, optional] = [
      here.filter(({ without }) => without === undefined),
      here.filter(({ without }) => without !== undefined),
    ];
    return [
      ...roleAndBinding(request, namespace, needed, "needed"),
      ...roleAndBinding(request, namespace, optional, "optional"),
    ];
  });
  return [...(command === "preview" ? dryRunPolicy(request) : []), ...roles];
}

function compareNamespaces(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a < b ? -1 : 1;
}

const apiGroup = "rbac.authorization.k8s.io";

function roleAndBinding(
  { command, deployment, subject }: RolesRequest,
  namespace: string | undefined,
  rights: readonly CommandPermission[],
  part: "needed" | "optional",
): readonly RoleDocument[] {
  if (rights.length === 0) return [];
  const rules = combineRules(rights);
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const name = `${roleName(command, deployment, namespace)}${part === "needed" ? "" : "-optional"}`;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const apiVersion = `${apiGroup}/v1`;
  const role = { apiVersion, kind, metadata, rules: rules.map(({ rule }) => rule) };
  const binding = {
    ...{ apiVersion, kind: `${kind}Binding`, metadata },
    roleRef: { apiGroup, kind, name },
    subjects: [subjectJson(subject)],
  };
  const about =
    part === "needed"
      ? `${namespace === undefined ? "Cluster-wide permissions" : "Permissions"} that ${commandPhrase(command)} requires.`
      : `Optional permissions for ${commandPhrase(command)}. Each rule's comment describes the effect of leaving it out.`;
  return [
    { object: role, about, rules },
    { object: binding, about: "", rules: [] },
  ];
}

function commandPhrase(command: PermissionCommand): string {
  switch (command) {
    case "preview":
      return "a preview";
    case "deploy":
      return "a deployment";
    case "rollback":
      return "a rollback";
    default:
      return `qvs ${command}`;
  }
}

/**
 * Combines the permissions for one purpose into rules, in their order.
 * It first combines the verbs of an object, then the names with the same verbs. Without names, it
 * combines the resources of a group with the same verbs. No rule grants more than its permissions.
 */
function combineRules(rights: readonly CommandPermission[]): readonly RoleRule[] {
  const objects = groupByKey(rights, ({ why, without, group, resource, name = null }) => [
    ...[why, without, group, resource, name],
  ]).map((same) => ({
    right: same[0] as CommandPermission,
    verbs: sorted(same.map((one) => one.verb)),
  }));
  return groupByKey(objects, ({ right: { why, without, group, resource, name }, verbs }) => [
    ...[why, without, group, verbs],
    name === undefined ? null : resource,
  ]).map((same) => {
    const { right, verbs } = same[0] as (typeof objects)[number];
    const names = sorted(same.flatMap((one) => one.right.name ?? []));
    const rule = {
      apiGroups: [right.group],
      resources: sorted(same.map((one) => one.right.resource)),
      ...(names.length === 0 ? {} : { resourceNames: names }),
      verbs,
    };
    return { rule, why: right.why, without: right.without };
  });
}

function groupByKey<T>(items: readonly T[], key: (item: T) => unknown): readonly (readonly T[])[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()];
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
