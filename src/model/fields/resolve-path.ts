import { fieldOf, isList, isObject, type Json, type JsonObject } from "../json.ts";
import { type FieldStep, itemKeyFields, keyText } from "./field-differences.ts";

/**
 * Returns the path with the keys of list items instead of their indexes, so that it names the same
 * items in other versions of the object. A step that the value doesn't have stays as it is.
 */
export function pathWithKeys(
  value: Json | undefined,
  path: readonly FieldStep[],
): readonly FieldStep[] {
  let current = value;
  return path.map((step) => {
    if (isList(current)) {
      const items = current;
      const index = indexOfItem(items, step);
      current = index === undefined ? undefined : items[index];
      return index === undefined ? step : itemStep(items, index);
    }
    current = isObject(current) ? fieldOf(current, stepName(step)) : undefined;
    // A map can have a field with a number as its name.
    return typeof step === "number" && current !== undefined ? String(step) : step;
  });
}

function stepName(step: FieldStep): string {
  return typeof step === "object" ? "" : String(step);
}

/** Returns the index of the item that a step names; undefined if the list has no such item. */
function indexOfItem(items: readonly Json[], step: FieldStep): number | undefined {
  if (typeof step === "object") return indexByKeys(items, step.keys);
  const isIndex = typeof step === "number" || /^\d+$/.test(step);
  if (isIndex) return Number(step) < items.length ? Number(step) : undefined;
  const byName = items.indexOf(step);
  return byName < 0 ? undefined : byName;
}

/**
 * Returns the index of the item with these keys. A manifest can omit a key that has a default, so
 * an item without some of them matches if no other item has all of them.
 */
function indexByKeys(items: readonly Json[], keys: JsonObject): number | undefined {
  const wanted = Object.entries(keys);
  const agrees = (item: Json, isPartial: boolean) =>
    isObject(item) &&
    wanted.some(([name]) => Object.hasOwn(item, name)) &&
    wanted.every(([name, value]) => {
      const own = fieldOf(item, name);
      return own === undefined ? isPartial : keyValueText(own) === keyValueText(value);
    });
  const exact = items.findIndex((item) => agrees(item, false));
  const found = exact >= 0 ? exact : items.findIndex((item) => agrees(item, true));
  return found < 0 ? undefined : found;
}

/** Returns the text of a key. On a command line, a number looks like a string. */
function keyValueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function itemStep(items: readonly Json[], index: number): FieldStep {
  const names = itemKeyFields(items);
  const item = items[index];
  if (names === undefined || !isObject(item)) return index;
  return { keys: Object.fromEntries(names.map((name) => [name, fieldOf(item, name) ?? null])) };
}

/**
 * Returns the path with indexes instead of keys, as a trace of the value contains it; undefined if
 * the value has no such field.
 */
export function pathWithIndexes(
  value: Json | undefined,
  path: readonly FieldStep[],
): readonly string[] | undefined {
  const steps: string[] = [];
  let current = value;
  for (const step of path) {
    const index = isList(current) ? indexOfItem(current, step) : undefined;
    const name = isList(current) ? index?.toString() : stepName(step);
    const next: Json | undefined = isList(current)
      ? current[index ?? -1]
      : isObject(current)
        ? fieldOf(current, stepName(step))
        : undefined;
    if (name === undefined || next === undefined) return undefined;
    steps.push(name);
    current = next;
  }
  return steps;
}

/** Returns the paths of the fields of a value, its parents first, at most `most`. */
export function listFieldPaths(value: Json, most: number): readonly (readonly FieldStep[])[] {
  const found: (readonly FieldStep[])[] = [];
  const open: { readonly path: readonly FieldStep[]; readonly value: Json }[] = [
    { path: [], value },
  ];
  for (let next = open.shift(); next !== undefined && found.length < most; next = open.shift()) {
    const { path, value: current } = next;
    if (path.length > 0) found.push(path);
    if (isList(current)) {
      open.push(
        ...current.map((item, index) => ({
          path: [...path, itemStep(current, index)],
          value: item,
        })),
      );
    } else if (isObject(current)) {
      open.push(
        ...Object.entries(current).map(([name, inner]) => ({
          path: [...path, name],
          value: inner,
        })),
      );
    }
  }
  return found;
}

/** Reports whether two steps name the same field or item, as far as both are known. */
export function sameStep(one: FieldStep, other: FieldStep): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  const names = Object.keys(one.keys);
  return keyText(one.keys, names) === keyText(other.keys, names);
}
