import type { FieldType, ObjectType, ScalarType } from "../model/fields/field-type.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { closest } from "../model/text/suggest.ts";

/**
 * A place where a manifest doesn't match its kind.
 * It contains no values, because they might be those of a Secret.
 */
export type SchemaViolation = UnknownField | WrongType | MissingField;

interface ViolationPlace {
  /** The path of the field, with list items by index. */
  readonly path: readonly string[];
}

interface UnknownField extends ViolationPlace {
  readonly misfit: "unknown";
  /** The name of an existing field that the user probably meant. */
  readonly suggestion: string | undefined;
}

interface WrongType extends ViolationPlace {
  readonly misfit: "type";
  readonly expected: ExpectedType;
  readonly found: FoundType;
}

interface MissingField extends ViolationPlace {
  readonly misfit: "missing";
}

export type ExpectedType = Exclude<ScalarType, "any"> | "list" | "object";
export type FoundType = "text" | "integer" | "number" | "boolean" | "list" | "object";

/**
 * Reports whether a value is a placeholder for an unknown one, such as a string with a reference.
 */
export type IsPlaceholder = (value: Json) => boolean;

/** The maximum number of misfits for one object. An adapter can create any number of them. */
const maxViolations = 20;

/** The maximum length of a name to compare, because the comparison takes as long as the name. */
const maxComparedLength = 100;

/**
 * Lists the misfits of an object.
 * It ignores `status`: the cluster writes it, so the value in a manifest has no effect.
 */
export function schemaViolations(
  object: JsonObject,
  type: ObjectType,
  isPlaceholder: IsPlaceholder,
): readonly SchemaViolation[] {
  const fields = new Map([...type.fields, ["status", "any"] as const]);
  const root = { ...type, fields, required: type.required.filter((name) => name !== "status") };
  return [...collectViolations(object, root, [], isPlaceholder).take(maxViolations)];
}

function* collectViolations(
  value: Json,
  type: FieldType,
  path: readonly string[],
  isPlaceholder: IsPlaceholder,
): Generator<SchemaViolation> {
  if (type === "any" || value === null || isPlaceholder(value)) return;
  const expected = expectedType(type);
  const found = valueType(value);
  if (!isCompatible(found, expected)) yield { misfit: "type", path, expected, found };
  else if (typeof type === "string") return;
  else if (type.type === "object") {
    yield* objectViolations(value as JsonObject, type, path, isPlaceholder);
  } else {
    for (const [step, inner] of Object.entries(value as JsonObject)) {
      yield* collectViolations(inner, type.of, [...path, step], isPlaceholder);
    }
  }
}

function* objectViolations(
  value: JsonObject,
  { fields, required, nullable, open }: ObjectType,
  path: readonly string[],
  isPlaceholder: IsPlaceholder,
): Generator<SchemaViolation> {
  const suggestedNames = new Set<string>();
  for (const [name, inner] of Object.entries(value)) {
    const type = fields.get(name);
    if (type !== undefined) yield* collectViolations(inner, type, [...path, name], isPlaceholder);
    else if (!open) {
      const free = [...fields.keys()].filter((each) => fieldOf(value, each) === undefined);
      const suggestion = name.length > maxComparedLength ? undefined : closest(name, free);
      if (suggestion !== undefined) suggestedNames.add(suggestion);
      yield { misfit: "unknown", path: [...path, name], suggestion };
    }
  }
  for (const name of required) {
    const inner = fieldOf(value, name);
    const exists = inner !== undefined && (inner !== null || nullable?.has(name) === true);
    // The misspelled field has already been reported.
    if (!exists && !suggestedNames.has(name)) yield { misfit: "missing", path: [...path, name] };
  }
}

function expectedType(type: Exclude<FieldType, "any">): ExpectedType {
  if (typeof type === "string") return type;
  return type.type === "list" ? "list" : "object";
}

function valueType(value: Exclude<Json, null>): FoundType {
  if (isList(value)) return "list";
  if (isObject(value)) return "object";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  return Number.isInteger(value) ? "integer" : "number";
}

function isCompatible(found: FoundType, expected: ExpectedType): boolean {
  return found === expected || (found === "integer" && expected === "number");
}
