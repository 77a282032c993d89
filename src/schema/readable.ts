import { type Json, type JsonObject, textAt } from "../model/json.ts";
import { isOfType, partsOf } from "./structural.ts";

/** A stored value whose type differs from its schema. */
export interface Unreadable {
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
export function unreadableIn(
  { apiVersion: _version, kind: _kind, metadata: _metadata, ...content }: JsonObject,
  schema: JsonObject,
): readonly Unreadable[] {
  return [...unreadableAt(content, schema, []).take(mostOfOne)];
}

/** The maximum number of results for one object. More don't help a user. */
const mostOfOne = 20;

function* unreadableAt(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
): Generator<Unreadable> {
  const type = textAt(schema, "type");
  const read = type === "integer" ? "number" : type;
  if (value !== null && type !== undefined && !isOfType(value, read)) {
    yield { path, type };
    return;
  }
  for (const { name, part, below } of partsOf(value, schema)) {
    yield* unreadableAt(part, below, [...path, name]);
  }
}
