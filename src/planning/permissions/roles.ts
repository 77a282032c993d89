import { isDnsLabel } from "../../model/cluster/object-names.ts";
import type { RoleDocument, RoleRule } from "../../model/cluster/role-document.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { JsonObject } from "../../model/json.ts";
import type { CommandPermission, RoleCommand } from "./permission.ts";

/**
 * Returns the name of a role.
 * Outside the namespace of the releases, it contains this namespace, because two deployments can
 * have the same name.
 */
function roleName(
  command: RoleCommand,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  place: string | undefined,
): string {
  const own = `qvs-${command}-${name}`;
  return place === namespace ? own : `${own}.${namespace}`;
}

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
function subjectJson(subject: RoleSubject): JsonObject {
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
function subjectExpression(subject: RoleSubject): string {
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

/**
 * Returns an admission policy that restricts an identity to dry runs.
 * Kubernetes requires the same verb for a dry run as for the real request. The policy denies every
 * request that isn't a dry run
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run-authorization).
 */
function dryRunPolicy({
  command,
  deployment,
  subject,
}: Pick<RolesRequest, "command" | "deployment" | "subject">): readonly RoleDocument[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const name = roleName(command, deployment, undefined);
  const policy = {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["*"],
            apiVersions: ["*"],
            operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
            resources: ["*/*"],
          },
        ],
      },
      matchConditions: [{ name: "is-preview", expression: subjectExpression(subject) }],
      validations: [
        { expression: "request.dryRun", message: "this identity is only allowed to make dry runs" },
      ],
    },
  };
  const binding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  };
  const about =
    "Denies this identity every write that isn't a dry run, whatever roles it has. Apply it before the roles.";
  return [
    { object: policy, about, rules: [] },
    { object: binding, about: "", rules: [] },
  ];
}

interface RolesRequest {
  readonly command: RoleCommand;
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

function commandPhrase(command: RoleCommand): string {
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
