import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  textAt,
} from "../model/json.ts";
import { embeddedFlaws } from "./embedded.ts";
import { duplicatesIn, limitsOf } from "./limits.ts";

/**
 * A violation of the structural schema of a CustomResourceDefinition.
 * It quotes the schema, never the value.
 */
export interface Violation {
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
): readonly Violation[] {
  return partsOf(value, schema).flatMap(({ name, part, below }) => {
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
export function isWithinOpen([step, ...rest]: readonly string[], schema: JsonObject): boolean {
  if (step === undefined) return false;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return true;
  const { items } = schema;
  const below = isObject(items) ? items : schemaOfField(schema, step);
  return below !== undefined && isWithinOpen(rest, below);
}

/** The maximum number of violations for one object. More don't help a user. */
const mostOfOne = 20;

/**
 * Checks the limits of values: numbers, lengths, patterns, enumerations and the like.
 * `misfitsIn` checks field names and types, and `judgeByRules` evaluates the rules.
 */
export function violationsIn(
  value: Json,
  schema: JsonObject,
  isOpen: (value: Json) => boolean,
): readonly Violation[] {
  return [...violationsAt(value, schema, [], isOpen).take(mostOfOne)];
}

function* violationsAt(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
  isOpen: (value: Json) => boolean,
): Generator<Violation> {
  if (value === null) {
    // Null must also be an allowed value if the field is nullable.
    if (schema["nullable"] === true)
      for (const what of limitsOf(value, schema)) yield { path, what };
    return;
  }
  if (isOpen(value)) return;
  for (const what of limitsOf(value, schema)) yield { path, what };
  if (isList(value)) yield* flawsOfItems(value, schema, path);
  yield* embeddedFlaws(value, schema).map((flaw) => ({ ...flaw, path: [...path, ...flaw.path] }));
  for (const { name, part, below } of partsOf(value, schema)) {
    yield* violationsAt(part, below, [...path, name], isOpen);
  }
}

/**
 * Reports items that the API server can't distinguish, and null items that it doesn't accept.
 * In lists that the API server merges, it accepts no null items.
 */
function* flawsOfItems(
  items: readonly Json[],
  schema: JsonObject,
  path: readonly string[],
): Generator<Violation> {
  const isMerged = ["map", "set"].includes(textAt(schema, "x-kubernetes-list-type") ?? "");
  const takesNull =
    at(schema, "items", "nullable") === true || at(schema, "items", "type") === undefined;
  for (const what of duplicatesIn(items, schema)) yield { path, what, isUnmergeable: true };
  if (takesNull && !isMerged) return;
  for (const [index, item] of items.entries()) {
    if (item !== null) continue;
    const flaw = { path: [...path, String(index)], what: "must not be null" };
    yield isMerged ? { ...flaw, isUnmergeable: true } : flaw;
  }
}

interface Part {
  /** The name of the field, or the index of the item. */
  readonly name: string;
  readonly part: Json;
  readonly below: JsonObject;
}

/** Returns the parts of a value that the schema covers. */
export function partsOf(value: Json, schema: JsonObject): readonly Part[] {
  const { items } = schema;
  if (isList(value)) {
    if (!isObject(items)) return [];
    return value.map((part, index) => ({ name: String(index), part, below: items }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const below = schemaOfField(schema, name);
    return below === undefined ? [] : [{ name, part, below }];
  });
}

export function schemaOfField(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = schema["properties"];
  const named = isObject(properties) ? fieldOf(properties, name) : undefined;
  const found = named ?? schema["additionalProperties"];
  return isObject(found) ? found : undefined;
}

/** Reports whether a value has a type of a schema. Without a type, any value is valid. */
export function isOfType(value: Json, type: string | undefined): boolean {
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
