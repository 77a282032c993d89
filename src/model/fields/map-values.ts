import type { ValuePath } from "../apply-time-reference.ts";
import { isList, isObject, type Json, type JsonObject } from "../json.ts";

/** Returns a copy of plain data with every string value changed. Field names stay the same. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, mapStrings(item, change)]);
  return Object.fromEntries(fields) as T;
}

/**
 * Returns a copy of an object with replaced values.
 * For each value, `instead` returns the replacement or undefined. If it returns undefined for an
 * object or a list, the function continues with the values in it.
 */
export function replaceValues<T extends JsonObject>(
  object: T,
  replacement: (value: Json, path: ValuePath) => Json | undefined,
): T {
  const walk = (value: Json, path: ValuePath): Json => {
    const other = replacement(value, path);
    if (other !== undefined) return other;
    if (isList(value)) return value.map((item, index) => walk(item, [...path, index]));
    return isObject(value) ? walkFields(value, path) : value;
  };
  const walkFields = (fields: JsonObject, path: ValuePath): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [name, walk(inner, [...path, name])]),
    );
  return walkFields(object, []) as T;
}

/**
 * Returns a path as a string in which all items of a list are equal.
 * The items of a live list can have another order.
 */
export function pathKeyWithoutIndex(path: ValuePath): string {
  return JSON.stringify(path.map((step) => (typeof step === "number" ? 0 : step)));
}
