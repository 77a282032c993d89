import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../model/json.ts";
import { embeddedViolations } from "./embedded.ts";
import { duplicateItemViolations, itemKeys, limitViolations } from "./limits.ts";

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

/**
 * Reports whether the value at a path, or a value that contains it, is unchanged.
 * Since Kubernetes 1.30, the API server accepts unchanged values that a definition no longer
 * allows, even if the object changes (KEP-4008). Only keys identify list items.
 */
export function isUnchanged(
  path: readonly string[],
  now: Json | undefined,
  before: Json | undefined,
  schema: JsonObject,
): boolean {
  if (now === undefined || before === undefined) return false;
  if (sameJson(now, before)) return true;
  const [step, ...rest] = path;
  if (step === undefined) return false;
  if (!isList(now)) {
    const below = fieldSchema(schema, step) ?? {};
    return isUnchanged(rest, at(now, step), at(before, step), below);
  }
  if (schema["x-kubernetes-list-type"] !== "map" || !isList(before)) return false;
  const inner = now[Number(step)];
  const keys = itemKeys(schema);
  const other = before.find((each) => keys.every((key) => at(each, key) === at(inner, key)));
  return isUnchanged(rest, inner, other, (schema["items"] ?? {}) as JsonObject);
}

/**
 * A violation of the structural schema of a CustomResourceDefinition.
 * It quotes the schema, never the value.
 */
export interface ValueViolation {
  readonly path: readonly string[];
  /** Completes the sentence "spec.replicas …". */
  readonly what: string;
  readonly fix?: string;
  /** True if the API server can't even merge the declared value, whatever the live value is. */
  readonly isUnmergeable?: true;
}

/**
 * Lists the maps that are declared empty and became null.
 * The API server accepts null only if the schema is nullable or has a default.
 */
export function emptiedMaps(
  value: Json,
  schema: JsonObject,
  path: readonly string[] = [],
): readonly ValueViolation[] {
  return schemaChildren(value, schema).flatMap(({ name, part, below }) => {
    const place = [...path, name];
    if (part !== null) return emptiedMaps(part, below, place);
    const takesNull = below["nullable"] === true || below["default"] !== undefined;
    // A null item was declared as null.
    if (below["type"] !== "object" || takesNull || isList(value)) return [];
    const what = "is declared empty and would become null";
    return [{ path: place, what, fix: "Omit the field: its kind doesn't allow null" }];
  });
}

/**
 * Reports whether a field lies within an object that preserves unknown fields.
 * The API server doesn't reject unknown fields there, but drops those that a nested schema doesn't
 * contain.
 */
export function isInOpenObject([step, ...rest]: readonly string[], schema: JsonObject): boolean {
  if (step === undefined) return false;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return true;
  const { items } = schema;
  const below = isObject(items) ? items : fieldSchema(schema, step);
  return below !== undefined && isInOpenObject(rest, below);
}

/** The maximum number of violations for one object. More don't help a user. */
const maxViolations = 20;

/**
 * Checks the limits of values: numbers, lengths, patterns, enumerations and the like.
 * `schemaViolations` checks field names and types, and `evaluateRules` evaluates the rules.
 */
export function valueViolations(
  value: Json,
  schema: JsonObject,
  isOpen: (value: Json) => boolean,
): readonly ValueViolation[] {
  return [...collectViolations(value, schema, [], isOpen).take(maxViolations)];
}

function* collectViolations(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
  isOpen: (value: Json) => boolean,
): Generator<ValueViolation> {
  if (value === null) {
    // Null must also be an allowed value if the field is nullable.
    if (schema["nullable"] === true)
      for (const what of limitViolations(value, schema)) yield { path, what };
    return;
  }
  if (isOpen(value)) return;
  for (const what of limitViolations(value, schema)) yield { path, what };
  if (isList(value)) yield* itemViolations(value, schema, path);
  yield* embeddedViolations(value, schema).map((flaw) => ({
    ...flaw,
    path: [...path, ...flaw.path],
  }));
  for (const { name, part, below } of schemaChildren(value, schema)) {
    yield* collectViolations(part, below, [...path, name], isOpen);
  }
}

/**
 * Reports items that the API server can't distinguish, and null items that it doesn't accept.
 * In lists that the API server merges, it accepts no null items.
 */
function* itemViolations(
  items: readonly Json[],
  schema: JsonObject,
  path: readonly string[],
): Generator<ValueViolation> {
  const isMerged = ["map", "set"].includes(textAt(schema, "x-kubernetes-list-type") ?? "");
  const takesNull =
    at(schema, "items", "nullable") === true || at(schema, "items", "type") === undefined;
  for (const what of duplicateItemViolations(items, schema))
    yield { path, what, isUnmergeable: true };
  if (takesNull && !isMerged) return;
  for (const [index, item] of items.entries()) {
    if (item !== null) continue;
    const flaw = { path: [...path, String(index)], what: "must not be null" };
    yield isMerged ? { ...flaw, isUnmergeable: true } : flaw;
  }
}

interface SchemaChild {
  /** The name of the field, or the index of the item. */
  readonly name: string;
  readonly part: Json;
  readonly below: JsonObject;
}

/** Returns the parts of a value that the schema covers. */
export function schemaChildren(value: Json, schema: JsonObject): readonly SchemaChild[] {
  const { items } = schema;
  if (isList(value)) {
    if (!isObject(items)) return [];
    return value.map((part, index) => ({ name: String(index), part, below: items }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const below = fieldSchema(schema, name);
    return below === undefined ? [] : [{ name, part, below }];
  });
}

export function fieldSchema(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = schema["properties"];
  const named = isObject(properties) ? fieldOf(properties, name) : undefined;
  const found = named ?? schema["additionalProperties"];
  return isObject(found) ? found : undefined;
}

/** Reports whether a value has a type of a schema. Without a type, any value is valid. */
export function hasType(value: Json, type: string | undefined): boolean {
  switch (type) {
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "array":
      return isList(value);
    case "object":
      return isObject(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}
