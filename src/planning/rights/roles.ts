import type { RoleDocument, RoleRule } from "../../model/cluster/role-document.ts";
import type { Deployment } from "../../model/deployment.ts";
import { onlyDryRun } from "./only-dry-run.ts";
import type { NeededRight, RightsCommand } from "./right.ts";
import { roleName } from "./role-name.ts";
import { type Subject, subjectJson } from "./subject.ts";

export interface RolesRequest {
  readonly command: RightsCommand;
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly subject: Subject;
  readonly rights: readonly NeededRight[];
}

/**
 * Returns roles with exactly these permissions, and their bindings.
 * Each namespace has one role for required and one for optional permissions. The cluster-wide roles
 * are last. The policy that restricts an identity to dry runs is first, before any permission.
 */
export function rolesFor(request: RolesRequest): readonly RoleDocument[] {
  const { command, rights } = request;
  const namespaces = [...new Set(rights.map(({ namespace }) => namespace))].toSorted(clusterLast);
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
  return [...(command === "preview" ? onlyDryRun(request) : []), ...roles];
}

function clusterLast(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a < b ? -1 : 1;
}

const apiGroup = "rbac.authorization.k8s.io";

function roleAndBinding(
  { command, deployment, subject }: RolesRequest,
  namespace: string | undefined,
  rights: readonly NeededRight[],
  part: "needed" | "optional",
): readonly RoleDocument[] {
  if (rights.length === 0) return [];
  const rules = rulesOf(rights);
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
      ? `What ${actionOf(command)} needs${namespace === undefined ? " beyond namespaces" : ""}.`
      : `What ${actionOf(command)} can do without. Leave it out, and only what is said at each rule is lost.`;
  return [
    { object: role, about, rules },
    { object: binding, about: "", rules: [] },
  ];
}

function actionOf(command: RightsCommand): string {
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
function rulesOf(rights: readonly NeededRight[]): readonly RoleRule[] {
  const objects = groupBy(rights, ({ why, without, group, resource, name = null }) => [
    ...[why, without, group, resource, name],
  ]).map((same) => ({ right: same[0] as NeededRight, verbs: sorted(same.map((one) => one.verb)) }));
  return groupBy(objects, ({ right: { why, without, group, resource, name }, verbs }) => [
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

function groupBy<T>(items: readonly T[], key: (item: T) => unknown): readonly (readonly T[])[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()];
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
