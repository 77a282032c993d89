import { isList, isObject, type Json } from "../model/json.ts";

/** JSON with the fields of every object sorted: the same text for the same data. */
export function canonicalText(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] as Json)]));
}
