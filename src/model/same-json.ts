import { isList, isObject, type Json } from "./json.ts";

/** Equal as JSON: the order of fields means nothing, the order of lists does. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a)) return isList(b) && sameItems(a, b);
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}

function sameItems(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
}
