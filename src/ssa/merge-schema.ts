import { isList, isObject, type Json, type JsonObject, textAt } from "../model/json.ts";
import { fieldSchema } from "../validation/structural.ts";
import { childKeys } from "./field-sets.ts";

/**
 * Reports whether the API server merges a map or list, according to its schema.
 * False means that it replaces the value as a whole.
 * Returns undefined without a schema and for other values.
 */
export function mergesBySchema(value: Json, schema: JsonObject | undefined): boolean | undefined {
  if (schema === undefined) return undefined;
  if (isList(value)) return isMergedList(schema);
  return isObject(value) ? schema["x-kubernetes-map-type"] !== "atomic" : undefined;
}

function isMergedList(schema: JsonObject): boolean {
  return ["map", "set"].includes(textAt(schema, "x-kubernetes-list-type") ?? "atomic");
}

/** Returns the schema of a child in a field set. */
export function childSchema(schema: JsonObject | undefined, child: string): JsonObject | undefined {
  if (schema === undefined) return undefined;
  if (child.startsWith("f:")) return fieldSchema(schema, child.slice(2));
  const { items } = schema;
  return isObject(items) ? items : undefined;
}

/**
 * Converts owned fields to a schema, as structured-merge-diff does (ReconcileFieldSetWithSchema).
 * A manager that owned a part of an atomic value now owns the whole value.
 * In the opposite case, no manager owns the content.
 */
export function reconcileFieldSet(set: JsonObject, schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(set).map(([child, owned]) => {
      const below = child === "." ? undefined : childSchema(schema, child);
      if (below === undefined || !isObject(owned)) return [child, owned];
      const isOwnedWithin = childKeys(owned).length > 0;
      return [child, isOwnedWithin && isAtomic(below) ? {} : reconcileFieldSet(owned, below)];
    }),
  );
}

function isAtomic(schema: JsonObject): boolean {
  if (schema["type"] === "array") return !isMergedList(schema);
  return schema["type"] === "object" && schema["x-kubernetes-map-type"] === "atomic";
}
