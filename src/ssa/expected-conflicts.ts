import { holdsKnownLater } from "../model/apply-time-reference.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { FieldConflict } from "../model/plan.ts";
import { childrenOf, declaredPart, partOf, stepText, unionOfFields } from "./field-sets.ts";
import { appliedBy, ownersOf } from "./managed-fields.ts";
import { mergesBySchema, schemaBelow } from "./merge-schema.ts";

/**
 * The conflicts that the server will find, where it can't be asked yet: what others own of the live object and is declared otherwise. Of what
 * is known only later nobody can say; it counts only where all that may be one is asked for.
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
  /** What the other manager owns of it. */
  readonly set: JsonObject;
  /** What anybody owns of it. */
  readonly known: JsonObject;
  readonly live: Json;
  readonly declared: Json;
  readonly schema: JsonObject | undefined;
  readonly counts: "certain" | "possible";
}

/** The fields of a set that are there with another value than is declared, as the server names them. */
function disputed(place: Place): readonly string[] {
  return childrenOf(place.set).flatMap((child) => {
    const below = placeBelow(place, child);
    if (below === undefined) return [];
    const name = child.startsWith("f:") ? `.${child.slice(2)}` : stepText(child);
    // The server compares what is within: of such a map, list or item, only that it is there may be owned.
    if (isMerged(below)) return disputed(below).map((field) => `${name}${field}`);
    const isOpen = place.counts === "certain" && holdsKnownLater(below.declared);
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
 * Whether the server merges a map or a list, and so compares only what is within. The schema tells it, also where the owners were recorded by
 * another one; where that says nothing, what anybody owns within does, and a map is merged.
 */
function isMerged({ set, known, live, declared, schema }: Place): boolean {
  const isOwnedWithin = Object.hasOwn(set, ".") || childrenOf(known).length > 0;
  const bySchema = mergesBySchema(declared, schema);
  if (isObject(live) && isObject(declared)) return bySchema ?? true;
  return isList(live) && isList(declared) ? (bySchema ?? isOwnedWithin) : isOwnedWithin;
}
