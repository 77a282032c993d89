import {
  at,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import { matchesPattern } from "../model/text/pattern.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { hasFormat } from "./formats.ts";

/**
 * Lists the limits of the schema that a value exceeds, without those of its parts.
 * Each one completes the sentence "spec.replicas …".
 */
export function limitViolations(value: Json, schema: JsonObject): readonly string[] {
  const { enum: allowed } = schema;
  const isOther = isList(allowed) && !isAllowed(value, allowed);
  return [
    ...(isOther ? [`isn't one of ${allowedNames(allowed)}`] : []),
    ...(schema["x-kubernetes-int-or-string"] === true && value !== null && !isIntOrString(value)
      ? ["must be an integer or a string"]
      : []),
    ...(typeof value === "number" ? numberViolations(value, schema) : []),
    ...(typeof value === "string" ? stringViolations(value, schema) : []),
    ...(isList(value) ? countViolations(value.length, schema, "Items", "item") : []),
    ...(isObject(value)
      ? countViolations(Object.keys(value).length, schema, "Properties", "field")
      : []),
  ];
}

function isIntOrString(value: Json): boolean {
  return typeof value === "string" || Number.isInteger(value);
}

/** The scalars of each enumeration, because many items are looked up in it. */
const allowedScalars = new WeakMap<readonly Json[], ReadonlySet<Json>>();

function isAllowed(value: Json, allowed: readonly Json[]): boolean {
  if (isObject(value) || isList(value)) return allowed.some((each) => sameJson(each, value));
  const known = allowedScalars.get(allowed) ?? new Set(allowed);
  allowedScalars.set(allowed, known);
  return known.has(value);
}

const maxListed = 30;

function allowedNames(allowed: readonly Json[]): string {
  return summarizeList(
    allowed.map((each) => JSON.stringify(each)),
    maxListed,
  );
}

function numberViolations(value: number, schema: JsonObject): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const below =
    typeof minimum === "number" && (exclusiveMinimum === true ? value <= minimum : value < minimum);
  const above =
    typeof maximum === "number" && (exclusiveMaximum === true ? value >= maximum : value > maximum);
  const isTooLarge = schema["format"] === "int32" && Math.abs(value + 0.5) > 2 ** 31;
  return [
    ...(below
      ? [`must be ${exclusiveMinimum === true ? "more than" : "at least"} ${minimum}`]
      : []),
    ...(above ? [`must be ${exclusiveMaximum === true ? "less than" : "at most"} ${maximum}`] : []),
    ...(isTooLarge ? ["must be a 32-bit integer"] : []),
    ...(typeof multipleOf === "number" ? multipleViolations(value, multipleOf) : []),
  ];
}

/**
 * Checks `multipleOf` like kube-openapi, which the API server uses.
 * It divides an integer by the integer part of the factor, so it accepts no integer if that part is
 * 0. Other numbers have a tolerance for the inexact values of binary fractions.
 */
function multipleViolations(value: number, factor: number): readonly string[] {
  const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  if (isInteger && factor < 1) {
    return [`must not be an integer, because multipleOf is ${factor}`];
  }
  const isMultiple = isInteger
    ? value % Math.trunc(factor) === 0
    : isAlmostInteger(factor < 1 ? (1 / factor) * value : value / factor);
  return isMultiple ? [] : [`must be a multiple of ${factor}`];
}

function isAlmostInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  return whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

function stringViolations(value: string, schema: JsonObject): readonly string[] {
  const { pattern } = schema;
  const format = textAt(schema, "format");
  // Lengths are counted in characters, not in UTF-16 units.
  const length = [...value].length;
  return [
    ...countViolations(length, schema, "Length", "character"),
    ...(typeof pattern === "string" && matchesPattern(value, pattern) === false
      ? [`doesn't match ${pattern}`]
      : []),
    ...(format !== undefined && hasFormat(value, format) === false
      ? [`must have the format ${format}`]
      : []),
  ];
}

function countViolations(
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

/** Returns the fields that identify the items of a list. */
export function itemKeys(schema: JsonObject | undefined): readonly string[] {
  const keys = listAt(schema, "x-kubernetes-list-map-keys");
  return keys.filter((key) => typeof key === "string");
}

/** Reports items that the API server can't distinguish. Missing keys get their defaults first. */
export function duplicateItemViolations(
  items: readonly Json[],
  schema: JsonObject,
): readonly string[] {
  const type = schema["x-kubernetes-list-type"];
  const keys = itemKeys(schema);
  if (type !== "set" && type !== "map") return [];
  const keyOfItem = (item: Json, key: string) =>
    at(item, key) ?? at(schema, "items", "properties", key, "default") ?? null;
  const texts = items.map((item) =>
    JSON.stringify(type === "set" ? item : keys.map((key) => keyOfItem(item, key))),
  );
  return new Set(texts).size < texts.length ? ["has a duplicate item"] : [];
}
