import { isObject, type Json, type JsonObject } from "./json.ts";
import { sameJson } from "./same-json.ts";

/** Whether a list item is the one that `k:{"name":"web"}` or `v:"text"` of managedFields stands for. */
export function isItem(key: string, item: Json): boolean {
  const value = parse(key.slice(2));
  if (key.startsWith("v:")) return sameJson(value, item);
  if (!key.startsWith("k:") || !isObject(value) || !isObject(item)) return false;
  return Object.entries(value).every(([field, expected]) => sameJson(item[field], expected));
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
