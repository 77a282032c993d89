import { computeStatus } from "../../apply/readiness/status/compute-status.ts";
import type { HealthEvaluator } from "../../health/evaluator.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import { declaresSuspension } from "../../model/cluster/suspension.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { DeploymentCheck } from "../../model/deployments/deployment-checks.ts";
import { isObject, type Json, listAt, textAt } from "../../model/json.ts";
import { type GroupKind, hasStatus, isCoreKind, kindKey } from "../../model/kinds.ts";
import { annotation, idOf, type KubeObject, type ObjectId } from "../../model/object.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import type { FindResource } from "./api-resources.ts";
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

/** An object of the deployment: declared now, or recorded by an earlier release. */
export interface DeploymentObject {
  readonly id: ObjectId;
  /** The manifest; undefined if only a release knows the object. */
  readonly object: KubeObject | undefined;
  /** Set for a hook that a deletion runs. */
  readonly isHook?: true;
}

/** The deployment and its objects, from which its permissions follow. */
export interface PermissionInput {
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly objects: readonly DeploymentObject[];
  /** Objects outside the deployment that annotations wait for. */
  readonly outside: readonly ObjectId[];
  readonly checks: readonly DeploymentCheck[];
  readonly findResource: FindResource;
  readonly health: HealthEvaluator;
  /** True for permissions to all objects of a kind, whatever their names are. */
  readonly byKind: boolean;
}

/** Returns permissions in one namespace or in all, to the named objects or to all. */
export function permit(
  namespace: string | undefined,
  group: string,
  resource: string,
  verbs: readonly string[],
  names: readonly (string | undefined)[] = [undefined],
): readonly Permission[] {
  return names.flatMap((name) => verbs.map((verb) => ({ namespace, group, resource, verb, name })));
}

export function uniqueSorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

interface ResourcePlace {
  readonly namespace: string | undefined;
  readonly group: string;
  readonly plural: string;
}

export function resourcePlace(
  { group, kind, namespace }: ObjectId,
  findResource: FindResource,
): ResourcePlace {
  const { plural, namespaced } = findResource(group, kind);
  return { namespace: namespaced ? namespace : undefined, group, plural };
}

export function namedObjectPermissions(
  id: ObjectId,
  findResource: FindResource,
  verbs: readonly string[],
): readonly Permission[] {
  const { namespace, group, plural } = resourcePlace(id, findResource);
  return permit(namespace, group, plural, verbs, [id.name]);
}

export function kindPermissions(
  { objects, findResource }: PermissionInput,
  verbs: readonly string[],
) {
  return objects.flatMap(({ id }) => {
    const { namespace, group, plural } = resourcePlace(id, findResource);
    return permit(namespace, group, plural, verbs);
  });
}

/** Keeps the objects that qvs lists and watches. */
export function withoutCrds(subject: PermissionInput): PermissionInput {
  return { ...subject, objects: subject.objects.filter(({ id }) => !isCrd(id)) };
}

/** Keeps the definitions, which qvs reads by name. */
export function onlyCrds(subject: PermissionInput): PermissionInput {
  return { ...subject, objects: subject.objects.filter(({ id }) => isCrd(id)) };
}

export function ownObjectPermissions(
  subject: PermissionInput,
  verbs: readonly string[],
): readonly Permission[] {
  const { objects, findResource, byKind } = subject;
  return objects.flatMap((own) => {
    const { namespace, group, plural } = resourcePlace(own.id, findResource);
    const name = byKind || hasChangingName(own) ? undefined : own.id.name;
    return permit(namespace, group, plural, verbs, [name]);
  });
}

/** Reports whether the next revision of the object has another name, which isn't known yet. */
function hasChangingName({ id, object }: DeploymentObject): boolean {
  if (isCrd(id)) return false;
  if (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined) return true;
  return (isCoreKind(id, "ConfigMap") || isCoreKind(id, "Secret")) && contentSuffix.test(id.name);
}

/**
 * A suffix that changes with the content: a hash, as adapters and Kustomize append it, or a number.
 */
const contentSuffix = /-([0-9a-f]{8,}|(?=([a-z]*\d){2})[a-z0-9]{8,}|v\d+)$/;

export function objectNamespaces(objects: readonly DeploymentObject[]): readonly string[] {
  return uniqueSorted(objects.flatMap(({ id }) => id.namespace || []));
}

/** Reports whether the object isn't ready at once when qvs writes it. */
export function isInitiallyUnready(
  { object }: Pick<DeploymentObject, "object">,
  health: HealthEvaluator,
): boolean {
  const facts = { now: new Date(0), baseline: undefined, binding: "unknown", health } as const;
  return (
    object !== undefined &&
    readWaitPolicy(object).isAwaited &&
    computeStatus(object, { ...facts, suspends: declaresSuspension(object) }).state === "waiting"
  );
}

/** Reports whether an object of this kind can exist without being ready. */
export function canBeUnready(kind: GroupKind): boolean {
  return hasStatus(kind) || awaitedWithoutStatus.has(kindKey(kind));
}

/** Kinds without a status for which roles still grant the permissions to wait. */
const awaitedWithoutStatus: ReadonlySet<string> = new Set(["/Endpoints", "/LimitRange"]);

/**
 * Lists the permissions to write the hooks of a deletion. Other purposes cover
 * their deletion.
 */
export function hookPermissions(subject: PermissionInput): readonly Permission[] {
  const hooks = onlyHooks(subject);
  const { objects } = hooks;
  const unready = objects.filter((each) => isInitiallyUnready(each, subject.health));
  return [
    ...kindPermissions(hooks, ["create"]),
    ...ownObjectPermissions(hooks, ["patch"]),
    ...kindPermissions(withoutCrds({ ...subject, objects: unready }), ["watch"]),
    ...grantedPermissions(objects.flatMap(({ object }) => object ?? [])),
  ];
}

export function onlyHooks(subject: PermissionInput): PermissionInput {
  return { ...subject, objects: subject.objects.filter(({ isHook }) => isHook === true) };
}
