import { isList, isObject, type Json } from "../json.ts";

/**
 * Returns the Pulumi function that an object calls, such as `fn::invoke`; undefined if it calls
 * none.
 */
export function pulumiFunction(value: Json): string | undefined {
  if (!isObject(value)) return undefined;
  return Object.keys(value).find((name) => name.startsWith("fn::"));
}

/** Returns the Pulumi functions within a value, sorted. */
export function listPulumiFunctions(value: Json): readonly string[] {
  const found = new Set<string>();
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const name = pulumiFunction(next);
    if (name !== undefined) found.add(name);
    if (isList(next) || isObject(next)) open.push(...Object.values(next));
  }
  return [...found].toSorted();
}
