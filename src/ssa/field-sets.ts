import {
  fieldOf,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
} from "../model/json.ts";
import { declaredIndex, itemIndexes, keyFields, keyFinder } from "./list-items.ts";

/**
 * Returns the union of sets of fields in the form of `managedFields` (`fieldsV1`).
 * A field or list item contains the set of the owned fields below it. `.` stands for the field or
 * item itself.
 */
export function unionFieldSets(sets: readonly JsonObject[]): JsonObject {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set)))].sort();
  const below = (name: string) =>
    sets.flatMap((set) => (isObject(fieldOf(set, name)) ? [fieldOf(set, name) as JsonObject] : []));
  return Object.fromEntries(names.map((name) => [name, unionFieldSets(below(name))]));
}

/**
 * Returns the fields that are in `set` but not in `other`.
 * For a list item in both sets, it returns only the differing fields.
 */
export function subtractFieldSet(set: JsonObject, other: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(set).flatMap(([name, below]) => {
      const taken = fieldOf(other, name);
      if (!isObject(taken)) return [[name, below]];
      if (!isObject(below)) return [];
      const rest = subtractFieldSet(below, taken);
      return childKeys(rest).length === 0 ? [] : [[name, rest]];
    }),
  );
}

/** The fields that a value loses, and the fields that stay. */
export interface PruneOptions {
  readonly dropped: JsonObject;
  /** The sets of all managers that keep fields. */
  readonly kept: readonly JsonObject[];
  /**
   * The value without its history.
   * A removed field with a value here gets that value, because it is the API server's default.
   */
  readonly defaults: Json | undefined;
}

/** A value after the removal of fields. */
export interface PrunedValue {
  readonly value: Json;
  /**
   * The fields that were removed or got a default, in the order of the set.
   * For example: `spec.template.spec.containers[name="web"].env`.
   */
  readonly removed: readonly string[];
}

/**
 * Removes the fields of `dropped` that no other manager keeps.
 * The API server does this with fields that a manager no longer applies. It removes a field as a
 * whole if none of it is kept.
 */
export function pruneFields(value: Json, pruning: PruneOptions, path = ""): PrunedValue {
  const parts = new Map<string, Json | undefined>();
  const removed: string[] = [];
  for (const child of childKeys(pruning.dropped)) {
    const inner = childValue(value, child);
    if (inner === undefined) continue;
    const below = pruneChild(inner, child, pruning, `${path}${formatStep(child)}`);
    if (below.removed.length === 0) continue;
    parts.set(child, below.value);
    removed.push(...below.removed);
  }
  return { value: parts.size === 0 ? value : replaceChildren(value, parts), removed };
}

function pruneChild(
  value: Json,
  child: string,
  pruning: PruneOptions,
  place: string,
): { readonly value: Json | undefined; readonly removed: readonly string[] } {
  const below = (set: JsonObject) =>
    isObject(fieldOf(set, child)) ? [fieldOf(set, child) as JsonObject] : [];
  const kept = pruning.kept.flatMap(below);
  const { defaults } = pruning;
  const defaultValue = defaults === undefined ? undefined : childValue(defaults, child);
  if (kept.length > 0) {
    const [dropped = {}] = below(pruning.dropped);
    const pruned = pruneFields(value, { dropped, kept, defaults: defaultValue }, place);
    if (!isEmpty(pruned.value) || isEmpty(value)) return pruned;
    return { ...pruned, value: defaults === undefined ? emptiedValue(value) : defaultValue };
  }
  if (sameJson(defaultValue, value)) return { value, removed: [] };
  return { value: defaultValue, removed: [place.replace(/^\./, "")] };
}

/**
 * Returns the value of a map or list that lost its whole content.
 * The API server sets such a map to null and removes such a list, even if they are declared empty.
 */
function emptiedValue(value: Json): Json | undefined {
  return isList(value) ? undefined : null;
}

/**
 * Returns the part of a value that is in a set, or undefined if there is none.
 * A field without children in the set is included as a whole.
 */
export function pickFields(value: Json, set: JsonObject): Json | undefined {
  const children = childKeys(set);
  if (children.length === 0) return Object.hasOwn(set, ".") ? undefined : value;
  const parts = isList(value) ? pickItems(value, set) : pickNamedFields(value, set);
  const isEmpty = isList(parts) ? parts.length === 0 : Object.keys(parts).length === 0;
  return isEmpty ? undefined : parts;
}

/**
 * Returns the fields of a set that exist in `value`.
 * It leaves out parents without any existing field.
 */
export function existingLeaves(set: JsonObject, value: Json): JsonObject {
  return Object.fromEntries(
    Object.entries(set).flatMap(([child, below]) => {
      if (child === ".") return [[child, below]];
      const part = childValue(value, child);
      if (part === undefined || !isObject(below)) return [];
      const within = existingLeaves(below, part);
      const isField = childKeys(below).length === 0 || childKeys(within).length > 0;
      return isField ? [[child, within]] : [];
    }),
  );
}

function pickItems(items: readonly Json[], set: JsonObject): readonly Json[] {
  const findKey = keyFinder(childKeys(set));
  return items.flatMap((item) => {
    const child = findKey(item);
    const below = child === undefined ? undefined : fieldOf(set, child);
    return isObject(below) ? [pickFields(item, below) ?? keyFields(child ?? "")] : [];
  });
}

function pickNamedFields(value: Json, set: JsonObject): JsonObject {
  const parts = childKeys(set).flatMap((child) => {
    const [part, below] = [childValue(value, child), fieldOf(set, child)];
    const kept = part === undefined || !isObject(below) ? undefined : pickFields(part, below);
    return kept === undefined ? [] : [[child.slice(2), kept] as const];
  });
  return Object.fromEntries(parts);
}

/** Returns the fields of a set that exist in `value`, including parents. */
export function existingFields(set: JsonObject, value: Json): JsonObject {
  return Object.fromEntries(
    childKeys(set).flatMap((child) => {
      const [part, below] = [childValue(value, child), fieldOf(set, child)];
      if (part === undefined || !isObject(below)) return [];
      return [[child, existingFields(below, part)]];
    }),
  );
}

export function childValue(value: Json, child: string): Json | undefined {
  if (child.startsWith("f:")) {
    const name = child.slice(2);
    return isObject(value) ? fieldOf(value, name) : undefined;
  }
  const [place] = isList(value) ? itemIndexes(child, value) : [];
  return isList(value) && place !== undefined ? value[place] : undefined;
}

/**
 * Replaces several parts in one pass.
 * A separate pass for each part would copy a long list each time.
 */
function replaceChildren(value: Json, parts: ReadonlyMap<string, Json | undefined>): Json {
  if (isList(value)) return replaceListItems(value, parts);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const part = parts.has(`f:${name}`) ? parts.get(`f:${name}`) : inner;
      return part === undefined ? [] : [[name, part]];
    }),
  );
}

function replaceListItems(
  items: readonly Json[],
  parts: ReadonlyMap<string, Json | undefined>,
): readonly Json[] {
  const byPlace = new Map<number, Json | undefined>();
  for (const [child, part] of parts) {
    for (const place of itemIndexes(child, items)) byPlace.set(place, part);
  }
  return items.flatMap((item, place) => {
    const part = byPlace.has(place) ? byPlace.get(place) : item;
    return part === undefined ? [] : [part];
  });
}

/**
 * Lists the fields of a set as text, such as `spec.template.spec.containers[name="web"].env`.
 * A list item that is owned as a whole is one entry.
 */
export function fieldPaths(set: JsonObject, path = ""): readonly string[] {
  return childKeys(set).flatMap((child) => {
    const [below, place] = [fieldOf(set, child), `${path}${formatStep(child)}`];
    const isWhole = !isObject(below) || childKeys(below).length === 0 || Object.hasOwn(below, ".");
    return isWhole ? [place.replace(/^\./, "")] : fieldPaths(below, place);
  });
}

/**
 * Formats a step: `f:spec` → `.spec`, `f:a.b/c` → `["a.b/c"]`, `k:{"name":"web"}` → `[name="web"]`,
 * `v:"x"` → `["x"]`.
 */
export function formatStep(child: string): string {
  const text = child.slice(2);
  if (child.startsWith("f:")) return /^[\w-]+$/.test(text) ? `.${text}` : `["${text}"]`;
  if (!child.startsWith("k:")) return `[${text}]`;
  return `[${text.slice(1, -1).replaceAll(/"([^"]+)":/g, "$1=")}]`;
}

/** Returns the declared value at a step. */
export function declaredChild(declared: Json, child: string): Json | undefined {
  if (!isList(declared) || !child.startsWith("k:")) return childValue(declared, child);
  return declared[declaredIndex(child, declared)];
}

/** Lists the owned fields below a field; `.` stands for the field itself. */
export function childKeys(owned: JsonObject): readonly string[] {
  return Object.keys(owned).filter((field) => field !== ".");
}
