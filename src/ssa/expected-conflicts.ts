import { containsKnownAfterDeploy } from "../model/apply-time-reference.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { FieldConflict } from "../model/plan.ts";
import { childrenOf, declaredPart, partOf, stepText, unionOfFields } from "./field-sets.ts";
import { appliedBy, ownersOf } from "./managed-fields.ts";
import { mergesBySchema, schemaBelow } from "./merge-schema.ts";

/**
 * Predicts ownership conflicts for an object that the API server can't dry-run yet.
 * A conflict is a field of another manager that is declared with another value.
 * Values known after deploy are unknown now. They count only with `counts: "possible"`.
 */
export function expectedConflicts(
  live: KubeObject,
  declared: KubeObject,
  manager: string,
  { schema, counts = "certain" }: Expecting = {},
): readonly FieldConflict[] {
  const ours = appliedBy(live, manager)?.fields;
  const owners = ownersOf(live);
  const known = unionOfFields(owners.map(({ fields }) => fields));
  return owners
    .filter(({ fields, operation }) => fields !== ours || operation !== "Apply")
    .flatMap(({ manager: other, subresource, fields }) =>
      disputed({ set: fields, known, live, declared, schema, counts }).map((field) => ({
        field,
        manager: other,
        subresource,
      })),
    )
    .toSorted((a, b) => (`${a.field} ${a.manager}` < `${b.field} ${b.manager}` ? -1 : 1));
}

interface Expecting {
  readonly schema?: JsonObject | undefined;
  readonly counts?: "certain" | "possible";
}

interface Place {
  /** The fields that the other manager owns at this place. */
  readonly set: JsonObject;
  /** The fields that any manager owns at this place. */
  readonly known: JsonObject;
  readonly live: Json;
  readonly declared: Json;
  readonly schema: JsonObject | undefined;
  readonly counts: "certain" | "possible";
}

/**
 * Lists the fields of a set that have another live value than the declared one, as the API server
 * names them.
 */
function disputed(place: Place): readonly string[] {
  return childrenOf(place.set).flatMap((child) => {
    const below = placeBelow(place, child);
    if (below === undefined) return [];
    const name = child.startsWith("f:") ? `.${child.slice(2)}` : stepText(child);
    // For merged maps, lists and items, the API server compares the content. A manager can own only
    // their existence.
    if (isMerged(below)) return disputed(below).map((field) => `${name}${field}`);
    const isOpen = place.counts === "certain" && containsKnownAfterDeploy(below.declared);
    return isOpen || sameJson(below.live, below.declared) ? [] : [name];
  });
}

function placeBelow(
  { set, known, live, declared, schema, counts }: Place,
  child: string,
): Place | undefined {
  const [below, all] = [fieldOf(set, child), fieldOf(known, child)];
  const [now, then] = [partOf(live, child), declaredPart(declared, child)];
  if (!isObject(below) || !isObject(all) || now === undefined || then === undefined)
    return undefined;
  const parts = { set: below, known: all, live: now, declared: then };
  return { ...parts, schema: schemaBelow(schema, child), counts };
}

/**
 * Reports whether the API server merges a map or list, so that it compares only the content.
 * The schema decides, even if owners were recorded under another schema.
 * Without a schema, owned content decides, and a map is merged.
 */
function isMerged({ set, known, live, declared, schema }: Place): boolean {
  const isOwnedWithin = Object.hasOwn(set, ".") || childrenOf(known).length > 0;
  const bySchema = mergesBySchema(declared, schema);
  if (isObject(live) && isObject(declared)) return bySchema ?? true;
  return isList(live) && isList(declared) ? (bySchema ?? isOwnedWithin) : isOwnedWithin;
}
