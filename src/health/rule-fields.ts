import { at, fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { closest } from "../model/text/suggest.ts";
import { listReadFields } from "../validation/check-cel.ts";

/** A field that an expression reads, and that the schema of the kind excludes. */
export interface UnknownRuleField {
  readonly path: readonly string[];
  /** The field that the author probably meant. */
  readonly meant: string | undefined;
}

/** Finds the fields of `spec` and `status` that a valid expression reads and a schema excludes. */
export function findUnknownFields(text: string, schema: JsonObject): readonly UnknownRuleField[] {
  return listReadFields(text, ["spec", "status"]).flatMap(
    ({ path }): readonly UnknownRuleField[] => {
      const unknown = findUnknownStep(schema, path);
      return unknown === undefined ? [] : [{ path, meant: closest(unknown.field, unknown.names) }];
    },
  );
}

/** Returns the first step that a schema excludes, with the names that it knows there. */
function findUnknownStep(
  schema: JsonObject,
  path: readonly string[],
): { readonly field: string; readonly names: readonly string[] } | undefined {
  let current = schema;
  for (const field of path) {
    const properties = at(current, "properties");
    const isOpen =
      !isObject(properties) ||
      at(current, "additionalProperties") !== undefined ||
      at(current, "x-kubernetes-preserve-unknown-fields") === true;
    if (isOpen) return undefined;
    const next = fieldOf(properties, field);
    if (next === undefined) return { field, names: Object.keys(properties) };
    if (!isObject(next)) return undefined;
    current = next;
  }
  return undefined;
}
