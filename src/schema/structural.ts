import { RE2JS } from "re2js";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
} from "../model/json.ts";

/** Where a value is not what the structural schema of a CustomResourceDefinition allows. It quotes the schema, never the value. */
export interface Violation {
  readonly path: readonly string[];
  /** Completes the sentence "spec.replicas …". */
  readonly what: string;
}

/** More of one object help nobody. */
const mostOfOne = 20;

/**
 * The limits of values: numbers, lengths, patterns, enumerations and the like. Which fields there are and of which type is told by
 * `misfitsIn`, what rules say by `brokenRules`.
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
  if (value === null || isOpen(value)) return;
  for (const what of limitsOf(value, schema)) yield { path, what };
  if (isList(value)) {
    const items = schema["items"];
    if (!isObject(items)) return;
    for (const [index, item] of value.entries()) {
      yield* violationsAt(item, items, [...path, String(index)], isOpen);
    }
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const below = schemaOfField(schema, name);
      if (below !== undefined) yield* violationsAt(inner, below, [...path, name], isOpen);
    }
  }
}

function schemaOfField(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = schema["properties"];
  const named = isObject(properties) ? fieldOf(properties, name) : undefined;
  const found = named ?? schema["additionalProperties"];
  return isObject(found) ? found : undefined;
}

function limitsOf(value: Json, schema: JsonObject): readonly string[] {
  const { enum: allowed } = schema;
  const isOther = isList(allowed) && !allowed.some((each) => sameJson(each, value));
  return [
    ...(isOther ? [`is none of ${allowed.map((each) => JSON.stringify(each)).join(", ")}`] : []),
    ...(typeof value === "number" ? limitsOfNumber(value, schema) : []),
    ...(typeof value === "string" ? limitsOfText(value, schema) : []),
    ...(isList(value) ? limitsOfCount(value.length, schema, "Items", "item") : []),
    ...(isObject(value)
      ? limitsOfCount(Object.keys(value).length, schema, "Properties", "field")
      : []),
    ...(isList(value) ? duplicatesIn(value, schema) : []),
  ];
}

function limitsOfNumber(value: number, schema: JsonObject): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const below =
    typeof minimum === "number" && (exclusiveMinimum === true ? value <= minimum : value < minimum);
  const above =
    typeof maximum === "number" && (exclusiveMaximum === true ? value >= maximum : value > maximum);
  const isUneven = typeof multipleOf === "number" && multipleOf > 0 && value % multipleOf !== 0;
  return [
    ...(below
      ? [`must be ${exclusiveMinimum === true ? "more than" : "at least"} ${minimum}`]
      : []),
    ...(above ? [`must be ${exclusiveMaximum === true ? "less than" : "at most"} ${maximum}`] : []),
    ...(isUneven ? [`must be a multiple of ${multipleOf}`] : []),
  ];
}

function limitsOfText(value: string, schema: JsonObject): readonly string[] {
  const { pattern } = schema;
  // Lengths are counted in characters, not in units of UTF-16.
  const length = [...value].length;
  return [
    ...limitsOfCount(length, schema, "Length", "character"),
    ...(typeof pattern === "string" && !matches(value, pattern)
      ? [`does not match ${pattern}`]
      : []),
  ];
}

/** RE2 as in the API server: nobody's pattern takes longer than its text is long. What is no pattern is not judged here. */
function matches(value: string, pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(value).find();
  } catch {
    return true;
  }
}

function limitsOfCount(
  count: number,
  schema: JsonObject,
  suffix: "Items" | "Properties" | "Length",
  thing: string,
): readonly string[] {
  const [least, most] = [at(schema, `min${suffix}`), at(schema, `max${suffix}`)];
  return [
    ...(typeof least === "number" && count < least
      ? [`must have at least ${least} ${thing}${least === 1 ? "" : "s"}`]
      : []),
    ...(typeof most === "number" && count > most
      ? [`must have at most ${most} ${thing}${most === 1 ? "" : "s"}`]
      : []),
  ];
}

/** Two items that the server could not tell apart. */
function duplicatesIn(items: readonly Json[], schema: JsonObject): readonly string[] {
  const type = schema["x-kubernetes-list-type"];
  const keys = listAt(schema, "x-kubernetes-list-map-keys").filter(
    (key) => typeof key === "string",
  );
  if (type !== "set" && type !== "map") return [];
  const texts = items.map((item) =>
    JSON.stringify(type === "set" ? item : keys.map((key) => at(item, key) ?? null)),
  );
  return new Set(texts).size < texts.length ? ["has an item twice"] : [];
}

/** What the server makes of it: with the defaults of the schema, without fields that this does not have. */
export function asStored(value: Json, schema: JsonObject): Json {
  if (isList(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((item) => asStored(item, items)) : value;
  }
  if (!isObject(value)) return value;
  const { properties } = schema;
  if (!isObject(properties)) {
    const { additionalProperties: inner } = schema;
    if (!isObject(inner)) return value;
    return mapFields(value, (item) => asStored(item, inner));
  }
  const keepsOthers = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const known = Object.entries(value).flatMap(([name, item]) => {
    const below = fieldOf(properties, name);
    if (isObject(below)) return [[name, asStored(item, below)] as const];
    return keepsOthers ? [[name, item] as const] : [];
  });
  const defaults = Object.entries(properties).flatMap(([name, below]) => {
    const byDefault = at(below, "default");
    const isMissing = fieldOf(value, name) === undefined && byDefault !== undefined;
    return isMissing ? [[name, asStored(byDefault, below as JsonObject)] as const] : [];
  });
  return Object.fromEntries([...known, ...defaults]);
}

function mapFields(value: JsonObject, change: (item: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item)]));
}
