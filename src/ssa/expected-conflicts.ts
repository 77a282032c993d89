import { fieldOf, isObject, type Json, type JsonObject, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { FieldConflict } from "../model/plan.ts";
import { childrenOf, declaredPart, partOf, stepText } from "./field-sets.ts";
import { appliedBy, ownersOf } from "./managed-fields.ts";

/** The conflicts that the server will find, where it can't be asked yet: what others own of the live object and is declared otherwise. */
export function expectedConflicts(
  live: KubeObject,
  declared: KubeObject,
  manager: string,
): readonly FieldConflict[] {
  const ours = appliedBy(live, manager)?.fields;
  return ownersOf(live)
    .filter(({ fields, operation }) => fields !== ours || operation !== "Apply")
    .flatMap(({ manager: other, subresource, fields }) =>
      disputed(fields, live, declared).map((field) => ({ field, manager: other, subresource })),
    )
    .toSorted((a, b) => (`${a.field} ${a.manager}` < `${b.field} ${b.manager}` ? -1 : 1));
}

/** The fields of a set that are there with another value than is declared, as the server names them. */
function disputed(set: JsonObject, live: Json, declared: Json): readonly string[] {
  return childrenOf(set).flatMap((child) => {
    const [below, now, then] = [
      fieldOf(set, child),
      partOf(live, child),
      declaredPart(declared, child),
    ];
    if (!isObject(below) || now === undefined || then === undefined) return [];
    const name = child.startsWith("f:") ? `.${child.slice(2)}` : stepText(child);
    if (childrenOf(below).length > 0) {
      return disputed(below, now, then).map((field) => `${name}${field}`);
    }
    // Of a map or an item of a list only that it is there may be owned.
    return Object.hasOwn(below, ".") || sameJson(now, then) ? [] : [name];
  });
}
