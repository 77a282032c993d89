import { type Json, type JsonObject, textAt } from "../model/json.ts";
import { isOfType, partsOf } from "./structural.ts";

/** Where a value that is stored is of another type than its schema has it. */
export interface Unreadable {
  readonly path: readonly string[];
  /** That of the schema. */
  readonly type: string;
}

/**
 * What the server can't merge with anything: before it does, it reads the live object by types (structured-merge-diff, AsTyped), and takes
 * null, any number for an integer, and anything where the schema leaves it open. Metadata is of no schema.
 */
export function unreadableIn(
  { apiVersion: _version, kind: _kind, metadata: _metadata, ...content }: JsonObject,
  schema: JsonObject,
): readonly Unreadable[] {
  return [...unreadableAt(content, schema, []).take(mostOfOne)];
}

/** More of one object help nobody. */
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
