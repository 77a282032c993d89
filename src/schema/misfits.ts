import type { FieldType, ObjectType, ScalarType } from "../model/fields/field-type.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { closest } from "../model/text/closest.ts";

/**
 * A place where a manifest doesn't match its kind.
 * It contains no values, because they might be those of a Secret.
 */
export type Misfit = UnknownField | WrongType | MissingField;

interface Placed {
  /** The path of the field, with list items by index. */
  readonly path: readonly string[];
}

interface UnknownField extends Placed {
  readonly misfit: "unknown";
  /** The name of an existing field that the user probably meant. */
  readonly meant: string | undefined;
}

interface WrongType extends Placed {
  readonly misfit: "type";
  readonly expected: Expected;
  readonly found: Found;
}

interface MissingField extends Placed {
  readonly misfit: "missing";
}

export type Expected = Exclude<ScalarType, "any"> | "list" | "object";
export type Found = "text" | "integer" | "number" | "boolean" | "list" | "object";

/**
 * Reports whether a value is a placeholder for an unknown one, such as a string with a reference.
 */
export type StandsForAnother = (value: Json) => boolean;

/** The maximum number of misfits for one object. An adapter can create any number of them. */
const mostOfOne = 20;

/** The maximum length of a name to compare, because the comparison takes as long as the name. */
const longestMisspelling = 100;

/**
 * Lists the misfits of an object.
 * It ignores `status`: the cluster writes it, so the value in a manifest has no effect.
 */
export function misfitsIn(
  object: JsonObject,
  type: ObjectType,
  standsForAnother: StandsForAnother,
): readonly Misfit[] {
  const fields = new Map([...type.fields, ["status", "any"] as const]);
  const root = { ...type, fields, required: type.required.filter((name) => name !== "status") };
  return [...misfitsAt(object, root, [], standsForAnother).take(mostOfOne)];
}

function* misfitsAt(
  value: Json,
  type: FieldType,
  path: readonly string[],
  standsForAnother: StandsForAnother,
): Generator<Misfit> {
  if (type === "any" || value === null || standsForAnother(value)) return;
  const expected = expectedOf(type);
  const found = kindOf(value);
  if (!fits(found, expected)) yield { misfit: "type", path, expected, found };
  else if (typeof type === "string") return;
  else if (type.type === "object") {
    yield* misfitsInObject(value as JsonObject, type, path, standsForAnother);
  } else {
    for (const [step, inner] of Object.entries(value as JsonObject)) {
      yield* misfitsAt(inner, type.of, [...path, step], standsForAnother);
    }
  }
}

function* misfitsInObject(
  value: JsonObject,
  { fields, required, nullable, open }: ObjectType,
  path: readonly string[],
  standsForAnother: StandsForAnother,
): Generator<Misfit> {
  const meantByOthers = new Set<string>();
  for (const [name, inner] of Object.entries(value)) {
    const type = fields.get(name);
    if (type !== undefined) yield* misfitsAt(inner, type, [...path, name], standsForAnother);
    else if (!open) {
      const free = [...fields.keys()].filter((each) => fieldOf(value, each) === undefined);
      const meant = name.length > longestMisspelling ? undefined : closest(name, free);
      if (meant !== undefined) meantByOthers.add(meant);
      yield { misfit: "unknown", path: [...path, name], meant };
    }
  }
  for (const name of required) {
    const inner = fieldOf(value, name);
    const isThere = inner !== undefined && (inner !== null || nullable?.has(name) === true);
    // The misspelled field has already been reported.
    if (!isThere && !meantByOthers.has(name)) yield { misfit: "missing", path: [...path, name] };
  }
}

function expectedOf(type: Exclude<FieldType, "any">): Expected {
  if (typeof type === "string") return type;
  return type.type === "list" ? "list" : "object";
}

function kindOf(value: Exclude<Json, null>): Found {
  if (isList(value)) return "list";
  if (isObject(value)) return "object";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  return Number.isInteger(value) ? "integer" : "number";
}

function fits(found: Found, expected: Expected): boolean {
  return found === expected || (found === "integer" && expected === "number");
}
