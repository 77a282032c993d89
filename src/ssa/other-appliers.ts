import { stages } from "../model/compilation.ts";
import { fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import { keyFields } from "./list-items.ts";
import { type OwnedFields, ownersOf } from "./managed-fields.ts";

/**
 * Managers that apply an object, too, by Server-Side Apply, sorted: to them it is an object that they have declared. Who only writes
 * its metadata, its status, its number of replicas or what controllers put into objects of others does not count, since that is no
 * object without us.
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

/** What a deployment of ours applies carries its label, so that an entry of another one is left from a former name. */
function isOfDeployment(manager: string): boolean {
  return stages.some((stage) => manager.startsWith("qvs-") && manager.endsWith(`-${stage}`));
}

const beside = ["f:metadata", "f:status", "f:apiVersion", "f:kind"];

/** Whether it is more than these fields, and more than what a controller puts into it. */
function declaresMore(fields: JsonObject, without: readonly string[]): boolean {
  const names = namesIn(fields).filter((name) => !without.includes(name));
  return names.some((name) =>
    name === "f:spec"
      ? declaresMore(below(fields, name), ["f:replicas"])
      : declaresField(name, below(fields, name)),
  );
}

/** A certificate of an authority is put there by who issues it, such as cert-manager (https://cert-manager.io/docs/concepts/ca-injector/). */
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

/** Whoever applies a part of the item `k:{"name":"web"}` applies its name as well. */
function isKeyOf(item: string, child: string): boolean {
  return item.startsWith("k:") && Object.hasOwn(keyFields(item), child.slice(2));
}

/** Its rules are written by the controller that aggregates roles (https://kubernetes.io/docs/reference/access-authn-authz/rbac/). */
function isAggregated(live: KubeObject): boolean {
  const isRole =
    live.kind === "ClusterRole" && groupOf(live.apiVersion) === "rbac.authorization.k8s.io";
  return isRole && isObject(fieldOf(live, "aggregationRule"));
}
