import { conflictOwner } from "../model/cluster/api/messages/api-message.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { containsKnownAfterDeploy } from "../model/plan/apply-time-reference.ts";
import type { FieldConflict } from "../model/plan/plan.ts";
import { childKeys, childValue, declaredChild, formatStep, unionFieldSets } from "./field-sets.ts";
import { fieldOwners, findApplyEntry } from "./managed-fields.ts";
import { childSchema, mergesBySchema } from "./merge-schema.ts";

/**
 * Predicts ownership conflicts for an object that the API server can't dry-run yet.
 * A conflict is a field of another manager that is declared with another value.
 * Values known after deploy are unknown now. They count only with `counts: "possible"`.
 */
export function predictConflicts(
  live: KubeObject,
  declared: KubeObject,
  manager: string,
  { schema, certainty = "certain" }: PredictConflictsOptions = {},
): readonly FieldConflict[] {
  const ours = findApplyEntry(live, manager)?.fields;
  const owners = fieldOwners(live);
  const known = unionFieldSets(owners.map(({ fields }) => fields));
  return owners
    .filter(({ fields, operation }) => fields !== ours || operation !== "Apply")
    .flatMap(({ manager: other, subresource, fields }) =>
      disputedFields({ set: fields, known, live, declared, schema, certainty }).map((field) => ({
        field,
        manager: other,
        subresource,
      })),
    )
    .toSorted((a, b) => (`${a.field} ${a.manager}` < `${b.field} ${b.manager}` ? -1 : 1));
}

interface PredictConflictsOptions {
  readonly schema?: JsonObject | undefined;
  readonly certainty?: "certain" | "possible";
}

interface FieldComparison {
  /** The fields that the other manager owns at this place. */
  readonly set: JsonObject;
  /** The fields that any manager owns at this place. */
  readonly known: JsonObject;
  readonly live: Json;
  readonly declared: Json;
  readonly schema: JsonObject | undefined;
  readonly certainty: "certain" | "possible";
}

/**
 * Lists the fields of a set that have another live value than the declared one, as the API server
 * names them.
 */
function disputedFields(place: FieldComparison): readonly string[] {
  return childKeys(place.set).flatMap((child) => {
    const below = childComparison(place, child);
    if (below === undefined) return [];
    const name = child.startsWith("f:") ? `.${child.slice(2)}` : formatStep(child);
    // For merged maps, lists and items, the API server compares the content. A manager can own only
    // their existence.
    if (isMerged(below)) return disputedFields(below).map((field) => `${name}${field}`);
    const isOpen = place.certainty === "certain" && containsKnownAfterDeploy(below.declared);
    return isOpen || sameJson(below.live, below.declared) ? [] : [name];
  });
}

function childComparison(
  { set, known, live, declared, schema, certainty }: FieldComparison,
  child: string,
): FieldComparison | undefined {
  const [below, all] = [fieldOf(set, child), fieldOf(known, child)];
  const [liveChild, declaredChildValue] = [childValue(live, child), declaredChild(declared, child)];
  if (
    !isObject(below) ||
    !isObject(all) ||
    liveChild === undefined ||
    declaredChildValue === undefined
  )
    return undefined;
  const parts = { set: below, known: all, live: liveChild, declared: declaredChildValue };
  return { ...parts, schema: childSchema(schema, child), certainty };
}

/**
 * Reports whether the API server merges a map or list, so that it compares only the content.
 * The schema decides, even if owners were recorded under another schema.
 * Without a schema, owned content decides, and a map is merged.
 */
function isMerged({ set, known, live, declared, schema }: FieldComparison): boolean {
  const isOwnedWithin = Object.hasOwn(set, ".") || childKeys(known).length > 0;
  const bySchema = mergesBySchema(declared, schema);
  if (isObject(live) && isObject(declared)) return bySchema ?? true;
  return isList(live) && isList(declared) ? (bySchema ?? isOwnedWithin) : isOwnedWithin;
}

/** A cause of a rejection, as in the API server's Status. */
interface RejectionCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the ownership conflicts of a rejection, sorted, because the API server has no fixed
 * order.
 * A cause is, for example, `conflict with "hpa" with subresource "scale" using apps/v1`.
 */
export function fieldConflicts(causes: readonly RejectionCause[]): readonly FieldConflict[] {
  return causes
    .filter((cause) => cause.reason === "FieldManagerConflict")
    .map((cause) => {
      const { manager = "", subresource } = conflictOwner(cause);
      return { field: cause.field, manager, subresource };
    })
    .toSorted((a, b) => (`${a.field} ${a.manager}` < `${b.field} ${b.manager}` ? -1 : 1));
}

/** Reports whether each conflict is in the list of conflicts that can be forced. */
export function areForceable(
  conflicts: readonly FieldConflict[],
  forceable: readonly FieldConflict[],
): boolean {
  return conflicts.every((conflict) =>
    forceable.some(
      (each) =>
        each.field === conflict.field &&
        each.manager === conflict.manager &&
        each.subresource === conflict.subresource,
    ),
  );
}
