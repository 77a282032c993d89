import { stages } from "../model/compilation.ts";
import { fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import { keyFields } from "./list-items.ts";
import { type OwnedFields, ownersOf } from "./managed-fields.ts";

/**
 * Lists the other managers that declare an object by Server-Side Apply, sorted.
 * A manager of only metadata, status, replicas or injected fields doesn't count. Without this
 * deployment, such fields alone aren't an object.
 */
export function otherAppliers(live: KubeObject): readonly string[] {
  const managers = ownersOf(live)
    .filter((owner) => declaresIt(owner, live))
    .map(({ manager }) => manager);
  return [...new Set(managers)].toSorted();
}

function declaresIt(
  { manager, operation, subresource, fields }: OwnedFields,
  live: KubeObject,
): boolean {
  const isApplier = operation === "Apply" && subresource === "" && !isOfDeployment(manager);
  return isApplier && declaresMore(fields, isAggregated(live) ? [...beside, "f:rules"] : beside);
}

/**
 * Reports whether a manager is a qvs deployment.
 * An object that a deployment applies has its label, so an entry of another deployment is left over
 * from an earlier name.
 */
function isOfDeployment(manager: string): boolean {
  return stages.some((stage) => manager.startsWith("qvs-") && manager.endsWith(`-${stage}`));
}

const beside = ["f:metadata", "f:status", "f:apiVersion", "f:kind"];

/** Reports whether a set contains more than these fields and injected ones. */
function declaresMore(fields: JsonObject, without: readonly string[]): boolean {
  const names = namesIn(fields).filter((name) => !without.includes(name));
  return names.some((name) =>
    name === "f:spec"
      ? declaresMore(below(fields, name), ["f:replicas"])
      : declaresField(name, below(fields, name)),
  );
}

/**
 * Reports whether a manager declares a field instead of injecting it.
 * An issuer such as cert-manager injects CA certificates
 * (https://cert-manager.io/docs/concepts/ca-injector/).
 */
function declaresField(name: string, fields: JsonObject): boolean {
  if (name === "f:caBundle") return false;
  const names = namesIn(fields).filter((child) => !isKeyOf(name, child));
  return names.length === 0 || names.some((child) => declaresField(child, below(fields, child)));
}

function namesIn(fields: JsonObject): readonly string[] {
  return Object.keys(fields).filter((name) => name !== ".");
}

function below(fields: JsonObject, name: string): JsonObject {
  const value = fieldOf(fields, name);
  return isObject(value) ? value : {};
}

/**
 * Reports whether a field is part of the key: a manager of the item `k:{"name":"web"}` also applies
 * its name.
 */
function isKeyOf(item: string, child: string): boolean {
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
