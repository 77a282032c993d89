import type { ValuePath } from "./plan/apply-time-reference.ts";

/** JSON as plain immutable data. Adapters compile to it, and the cluster stores it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [field: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Returns the object's own field, never an inherited one such as `constructor` or `toString`. Names
 * that aren't literals in qvs's source must be looked up here, in a Map, or not at all
 * (test/attacks/built-ins).
 */
export function fieldOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the object without the field `name`. */
export function withoutField(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => field !== name));
}

/** Returns the object at a path; an empty one if there is none. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

/** Returns the value at `path`. Undefined if a step is missing or isn't an object. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const step of path) {
    if (!isObject(current)) return undefined;
    current = fieldOf(current, step);
  }
  return current;
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" ? found : undefined;
}

export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return isList(found) ? found : [];
}

/** Reports whether a value is an empty object or an empty list. */
export function isEmpty(value: Json | undefined): boolean {
  return sameJson(value, {}) || sameJson(value, []);
}

/**
 * Reports whether two values are equal as JSON. The order of fields doesn't matter; the order of
 * list items does.
 */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a)) return isList(b) && sameItems(a, b);
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(fieldOf(a, name), fieldOf(b, name)))
  );
}

function sameItems(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
}

/**
 * The maximum nesting depth. The deepest CRD schemas have about 60 levels, and writing YAML fails
 * beyond a few hundred.
 */
export const deepestNesting = 250;

/**
 * Reports whether JSON text nests objects and lists deeper than `deepestNesting`. Callers check
 * this before they parse the text, because recursive functions walk the parsed value.
 */
export function exceedsMaxNesting(text: string): boolean {
  if (!hasMoreMarks(text, deepestNesting)) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > deepestNesting) return true;
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return false;
}

/** Reports whether a text has more than `limit` opening braces and brackets, also in strings. */
function hasMoreMarks(text: string, limit: number): boolean {
  let count = 0;
  for (const mark of ["{", "["]) {
    for (let found = text.indexOf(mark); found >= 0; found = text.indexOf(mark, found + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Returns the index where the string that begins at `start` ends, or the length of the text if the
 * string doesn't end.
 */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

/** Parses JSON; undefined if the text has another form. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

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
