import { isList, isObject, type Json, type JsonObject, textAt } from "../model/json.ts";
import { schemaOfField } from "../schema/structural.ts";
import { childrenOf } from "./field-sets.ts";

/**
 * Whether the server merges a map or a list, or replaces it as a whole, by the schema of its kind; undefined where that says nothing, and of
 * other values.
 */
export function mergesBySchema(value: Json, schema: JsonObject | undefined): boolean | undefined {
  if (schema === undefined) return undefined;
  if (isList(value)) return isMergedList(schema);
  return isObject(value) ? schema["x-kubernetes-map-type"] !== "atomic" : undefined;
}

function isMergedList(schema: JsonObject): boolean {
  return ["map", "set"].includes(textAt(schema, "x-kubernetes-list-type") ?? "atomic");
}

/** The schema of what a step of a field set leads to. */
export function schemaBelow(schema: JsonObject | undefined, child: string): JsonObject | undefined {
  if (schema === undefined) return undefined;
  if (child.startsWith("f:")) return schemaOfField(schema, child.slice(2));
  const { items } = schema;
  return isObject(items) ? items : undefined;
}

/**
 * What a manager owns once the kind has this schema, as structured-merge-diff reconciles it (ReconcileFieldSetWithSchema): whoever owned
 * a part of what is replaced as a whole by now owns the whole. The other way round nobody owns what is within.
 */
export function ownedBySchema(set: JsonObject, schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(set).map(([child, owned]) => {
      const below = child === "." ? undefined : schemaBelow(schema, child);
      if (below === undefined || !isObject(owned)) return [child, owned];
      const isOwnedWithin = childrenOf(owned).length > 0;
      return [child, isOwnedWithin && isAtomic(below) ? {} : ownedBySchema(owned, below)];
    }),
  );
}

function isAtomic(schema: JsonObject): boolean {
  if (schema["type"] === "array") return !isMergedList(schema);
  return schema["type"] === "object" && schema["x-kubernetes-map-type"] === "atomic";
}
