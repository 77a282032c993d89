import type { FieldType, ObjectType, ScalarType } from "../model/fields/field-type.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { closest } from "../model/text/closest.ts";

/** Where a manifest is not what its kind allows. It says nothing about values, which may be those of a Secret. */
export type Misfit = UnknownField | WrongType | MissingField;

interface Placed {
  /** Of the field; list items by their index. */
  readonly path: readonly string[];
}

interface UnknownField extends Placed {
  readonly misfit: "unknown";
  /** The name of a field that is there. */
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

/** Whether a value only stands for one that is not known yet, such as a text with a reference. */
export type StandsForAnother = (value: Json) => boolean;

/** More of one object help nobody: an adapter can make any number of them. */
const mostOfOne = 20;

/** Comparing a name takes as long as it is. */
const longestMisspelling = 100;

/** `status` is left out: the cluster writes it, and what a manifest says there has no effect. */
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
    // One that is only misspelt has been told already.
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
