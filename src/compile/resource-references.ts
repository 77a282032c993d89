import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { referencePieces, referenceRoot, resolveReference } from "../model/text/reference-text.ts";

/** The resource that contains a reference. */
export interface Referrer {
  /** The id of the resource. Within a group, the ids of that group have priority. */
  readonly id: string;
  /** True if its strings follow the rules of Pulumi YAML. */
  readonly pulumi: boolean;
}

export interface FoundReferences {
  /** The ids of resources, sorted. */
  readonly ids: readonly string[];
  /** The names that no resource has, sorted. */
  readonly missing: readonly string[];
}

/**
 * Finds all references in the strings of a value (docs/reference/adapters.md#references):
 * `$(ref.ID.PATH)`, and in Pulumi resources also `${id.path}`.
 */
export function findResourceReferences(
  value: Json | undefined,
  { id, pulumi }: Referrer,
  known: ReadonlySet<string>,
): FoundReferences {
  const ids = new Set<string>();
  const missing = new Set<string>();
  for (const text of walkStrings(value)) {
    for (const piece of referencePieces(text, pulumi)) {
      if (piece.type === "text") continue;
      const found = resolveReference(piece.inner, id, known);
      if (found === undefined) missing.add(referenceRoot(piece.inner));
      else ids.add(found.id);
    }
  }
  return { ids: [...ids].sort(), missing: [...missing].sort() };
}

/**
 * Returns the parts of a Kubernetes object from Pulumi that can contain references: its fields, and
 * `options.dependsOn`, which is a list or one reference.
 */
export function withDependencies(object: JsonObject, content: JsonObject): Json {
  const options = isObject(content["options"]) ? content["options"] : {};
  return [object, options["dependsOn"] ?? []];
}

export function* walkStrings(value: Json | undefined): Generator<string> {
  if (typeof value === "string") yield value;
  else if (isList(value)) for (const item of value) yield* walkStrings(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* walkStrings(item);
}
