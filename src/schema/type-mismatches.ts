import { type Json, type JsonObject, textAt } from "../model/json.ts";
import { hasType, schemaChildren } from "./structural.ts";

/** A stored value whose type differs from its schema. */
export interface TypeMismatch {
  readonly path: readonly string[];
  /** The type in the schema. */
  readonly type: string;
}

/**
 * Lists the values with which the API server can't merge any request.
 * Before a merge, it reads the live object by types (structured-merge-diff, AsTyped). It accepts
 * null, any number for an integer, and anything where the schema is open. No schema covers the
 * metadata.
 */
export function typeMismatches(
  { apiVersion: _version, kind: _kind, metadata: _metadata, ...content }: JsonObject,
  schema: JsonObject,
): readonly TypeMismatch[] {
  return [...collectMismatches(content, schema, []).take(maxResults)];
}

/** The maximum number of results for one object. More don't help a user. */
const maxResults = 20;

function* collectMismatches(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
): Generator<TypeMismatch> {
  const type = textAt(schema, "type");
  const read = type === "integer" ? "number" : type;
  if (value !== null && type !== undefined && !hasType(value, read)) {
    yield { path, type };
    return;
  }
  for (const { name, part, below } of schemaChildren(value, schema)) {
    yield* collectMismatches(part, below, [...path, name]);
  }
}
