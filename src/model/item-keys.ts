import { isObject, type Json, type JsonObject } from "./json.ts";
import { sameJson } from "./same-json.ts";

/** Whether a list item is the one that `k:{"name":"web"}` or `v:"text"` of managedFields stands for. */
export function isItem(key: string, item: Json): boolean {
  const value = parse(key.slice(2));
  if (key.startsWith("v:")) return sameJson(value, item);
  if (!key.startsWith("k:") || !isObject(value) || !isObject(item)) return false;
  return Object.entries(value).every(([field, expected]) => sameJson(item[field], expected));
}

/**
 * The place of that item in a list as it is declared; -1 where it is not in there. A key field that is left out gets its
 * default from the server (`protocol: TCP`), so an item that lacks some and has the others stands for it, if it is the only one.
 */
export function declaredPlace(key: string, items: readonly Json[]): number {
  const exact = items.findIndex((item) => isItem(key, item));
  if (exact >= 0) return exact;
  const fields = Object.entries(keyFields(key));
  const agrees = (item: Json) =>
    isObject(item) &&
    fields.some(([field]) => Object.hasOwn(item, field)) &&
    fields.every(([field, value]) => !Object.hasOwn(item, field) || sameJson(item[field], value));
  const lacking = items.filter(agrees);
  return lacking.length === 1 ? items.findIndex(agrees) : -1;
}

/** The fields by which `k:{"name":"web"}` finds its item; none for other keys. */
export function keyFields(key: string): JsonObject {
  const value = key.startsWith("k:") ? parse(key.slice(2)) : undefined;
  return isObject(value) ? value : {};
}

/** What managedFields lists below a field; `.` stands for the field itself. */
export function childrenOf(owned: JsonObject): readonly string[] {
  return Object.keys(owned).filter((field) => field !== ".");
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
