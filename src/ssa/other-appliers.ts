import { at, fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { annotation, groupOf, type KubeObject, lastAppliedAnnotation } from "../model/object.ts";
import { stages } from "../model/sources/compilation.ts";
import { keyFields } from "./list-items.ts";
import { fieldOwners, type OwnedFields } from "./managed-fields.ts";

/**
 * Lists the other managers that declare an object by Server-Side Apply, sorted.
 * A manager of only metadata, status, replicas or injected fields doesn't count. Without this
 * deployment, such fields alone aren't an object.
 */
export function otherAppliers(live: KubeObject): readonly string[] {
  const managers = fieldOwners(live)
    .filter((owner) => declaresObject(owner, live))
    .map(({ manager }) => manager);
  return [...new Set(managers)].toSorted();
}

/**
 * Lists the managers that applied an object without Server-Side Apply, sorted.
 * Such clients, for example `kubectl apply` and Argo CD, write their manifest into an annotation.
 * qvs removes it from each object that it adopts, so they applied the object later than qvs.
 */
export function clientSideAppliers(live: KubeObject): readonly string[] {
  if (annotation(live, lastAppliedAnnotation) === undefined) return [];
  const managers = fieldOwners(live)
    .filter(({ operation }) => operation === "Update")
    .filter(({ fields }) => at(fields, ...lastAppliedField) !== undefined)
    .map(({ manager }) => manager)
    .filter((manager) => !isDeploymentManager(manager));
  return [...new Set(managers)].toSorted();
}

const lastAppliedField = ["f:metadata", "f:annotations", `f:${lastAppliedAnnotation}`];

function declaresObject(
  { manager, operation, subresource, fields }: OwnedFields,
  live: KubeObject,
): boolean {
  const isApplier = operation === "Apply" && subresource === "" && !isDeploymentManager(manager);
  return (
    isApplier &&
    declaresOtherFields(
      fields,
      isAggregated(live) ? [...nonContentFields, "f:rules"] : nonContentFields,
    )
  );
}

/**
 * Reports whether a manager is a qvs deployment.
 * An object that a deployment applies has its label, so an entry of another deployment is left over
 * from an earlier name.
 */
function isDeploymentManager(manager: string): boolean {
  return stages.some((stage) => manager.startsWith("qvs-") && manager.endsWith(`-${stage}`));
}

const nonContentFields = ["f:metadata", "f:status", "f:apiVersion", "f:kind"];

/** Reports whether a set contains more than these fields and injected ones. */
function declaresOtherFields(fields: JsonObject, without: readonly string[]): boolean {
  const names = childNames(fields).filter((name) => !without.includes(name));
  return names.some((name) =>
    name === "f:spec"
      ? declaresOtherFields(childFields(fields, name), ["f:replicas"])
      : declaresField(name, childFields(fields, name)),
  );
}

/**
 * Reports whether a manager declares a field instead of injecting it.
 * An issuer such as cert-manager injects CA certificates
 * (https://cert-manager.io/docs/concepts/ca-injector/).
 */
function declaresField(name: string, fields: JsonObject): boolean {
  if (name === "f:caBundle") return false;
  const names = childNames(fields).filter((child) => !isKeyField(name, child));
  return (
    names.length === 0 || names.some((child) => declaresField(child, childFields(fields, child)))
  );
}

function childNames(fields: JsonObject): readonly string[] {
  return Object.keys(fields).filter((name) => name !== ".");
}

function childFields(fields: JsonObject, name: string): JsonObject {
  const value = fieldOf(fields, name);
  return isObject(value) ? value : {};
}

/**
 * Reports whether a field is part of the key: a manager of the item `k:{"name":"web"}` also applies
 * its name.
 */
function isKeyField(item: string, child: string): boolean {
  return item.startsWith("k:") && Object.hasOwn(keyFields(item), child.slice(2));
}

/**
 * Reports whether a controller aggregates the rules of the role
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
 */
function isAggregated(live: KubeObject): boolean {
  const isRole =
    live.kind === "ClusterRole" && groupOf(live.apiVersion) === "rbac.authorization.k8s.io";
  return isRole && isObject(fieldOf(live, "aggregationRule"));
}
