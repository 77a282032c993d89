import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { textAt } from "../../model/json.ts";
import { type KubeObject, nameOf, type ObjectId } from "../../model/object.ts";
import type { PlanPolicy } from "../../model/plan.ts";
import type { Problem } from "../../model/problem.ts";
import { protectedKinds } from "../../model/protected-kinds.ts";
import type { InventoryEntry } from "../../model/release.ts";

interface Doomed {
  readonly entry: Pick<InventoryEntry, "id">;
  readonly live: KubeObject;
}

interface Circumstances {
  /** Where the releases and the lock of the deployment are. */
  readonly namespace: string;
  readonly policy: Pick<PlanPolicy, "allowDelete">;
}

/** Why an object must not be deleted unasked, or not at all (deploy.md §4). */
export function objectionsTo(
  doomed: Doomed,
  staying: readonly { readonly id: ObjectId }[],
  { namespace, policy }: Circumstances,
): readonly Problem[] {
  const { id } = doomed.entry;
  if (protectedKinds.get(id.kind) !== id.group) return [];
  const inside = staying.filter((other) => goesWith(other.id, doomed));
  if (inside.length > 0)
    return [takesAlong(id, inside.map((other) => nameOf(other.id)).toSorted())];
  if (isNamespace(id) && id.name === namespace) {
    return [takesAlong(id, ["the releases and the lock of this deployment"])];
  }
  return policy.allowDelete.includes(id.kind) ? [] : [notAllowed(id)];
}

/** A Namespace takes everything in it, a CRD every object of its kind. */
export function goesWith(other: ObjectId, { entry: { id }, live }: Doomed): boolean {
  if (isNamespace(id)) return other.namespace === id.name;
  return (
    isDefinition(id) &&
    other.group === textAt(live, "spec", "group") &&
    other.kind === textAt(live, "spec", "names", "kind")
  );
}

/** Whether deleting it deletes others, whatever they are. */
export function isHolder(id: ObjectId): boolean {
  return isNamespace(id) || isDefinition(id);
}

function isNamespace(id: ObjectId): boolean {
  return id.kind === "Namespace" && id.group === "";
}

function isDefinition(id: ObjectId): boolean {
  return id.kind === "CustomResourceDefinition" && id.group === "apiextensions.k8s.io";
}

function takesAlong(id: ObjectId, what: readonly string[]): Problem {
  return {
    what: `${nameOf(id)} is no longer declared, but deleting it would delete ${what.join(", ")} too`,
    fix: `Declare ${nameOf(id)} again, or put the annotation ${keepOnDeleteAnnotation} on it`,
    where: [],
  };
}

function notAllowed(id: ObjectId): Problem {
  return {
    what: `${nameOf(id)} is no longer declared and would be deleted with everything in it`,
    fix: `Allow that with --allow-delete=${id.kind}, declare it again, or put the annotation ${keepOnDeleteAnnotation} on it`,
    where: [],
  };
}
