import type { Steps } from "../apply-time-reference.ts";
import { isList, isObject, type Json, type JsonObject } from "../json.ts";

/** An object with another value wherever there is one: asked first about a map or list, and about what is within where there is none for it. */
export function replaceValues<T extends JsonObject>(
  object: T,
  instead: (value: Json, path: Steps) => Json | undefined,
): T {
  const walk = (value: Json, path: Steps): Json => {
    const other = instead(value, path);
    if (other !== undefined) return other;
    if (isList(value)) return value.map((item, index) => walk(item, [...path, index]));
    return isObject(value) ? walkFields(value, path) : value;
  };
  const walkFields = (fields: JsonObject, path: Steps): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [name, walk(inner, [...path, name])]),
    );
  return walkFields(object, []) as T;
}

/** A path as a text, in which all items of a list count as one: a live list may have its items in another order. */
export function ofAnyItem(path: Steps): string {
  return JSON.stringify(path.map((step) => (typeof step === "number" ? 0 : step)));
}
