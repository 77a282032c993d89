import {
  fieldOf,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
} from "../model/json.ts";
import { declaredPlace, keyFields, keyFinder, placesOf } from "./list-items.ts";

/**
 * Sets of fields in the form of `managedFields` (`fieldsV1`): a field, or the item of a list, holds the set of what is
 * owned below it, and `.` stands for itself.
 */
export function unionOfFields(sets: readonly JsonObject[]): JsonObject {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set)))].sort();
  const below = (name: string) =>
    sets.flatMap((set) => (isObject(fieldOf(set, name)) ? [fieldOf(set, name) as JsonObject] : []));
  return Object.fromEntries(names.map((name) => [name, unionOfFields(below(name))]));
}

/** What is in `set` and not in `other`. Of a list item that is in neither whole, only what differs. */
export function withoutFields(set: JsonObject, other: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(set).flatMap(([name, below]) => {
      const taken = fieldOf(other, name);
      if (!isObject(taken)) return [[name, below]];
      if (!isObject(below)) return [];
      const rest = withoutFields(below, taken);
      return childrenOf(rest).length === 0 ? [] : [[name, rest]];
    }),
  );
}

/** What a value loses, and what stops that. */
export interface Pruning {
  readonly dropped: JsonObject;
  /** The sets of everybody who keeps fields. */
  readonly kept: readonly JsonObject[];
  /** The value as it would be without a past: what is in here comes back as the server's default. */
  readonly defaults: Json | undefined;
}

/** A value without the fields that it was asked to lose. */
export interface Pruned {
  readonly value: Json;
  /** What is gone or has become a default, e.g. `spec.template.spec.containers[name="web"].env`, in the order of the set. */
  readonly removed: readonly string[];
}

/**
 * `value` without the fields of `dropped` that nobody else keeps, as the API server removes what a manager no longer
 * applies: whole where nothing of it is kept.
 */
export function pruneFields(value: Json, pruning: Pruning, path = ""): Pruned {
  const parts = new Map<string, Json | undefined>();
  const removed: string[] = [];
  for (const child of childrenOf(pruning.dropped)) {
    const inner = partOf(value, child);
    if (inner === undefined) continue;
    const below = pruneChild(inner, child, pruning, `${path}${stepText(child)}`);
    if (below.removed.length === 0) continue;
    parts.set(child, below.value);
    removed.push(...below.removed);
  }
  return { value: parts.size === 0 ? value : withParts(value, parts), removed };
}

function pruneChild(
  value: Json,
  child: string,
  pruning: Pruning,
  place: string,
): { readonly value: Json | undefined; readonly removed: readonly string[] } {
  const below = (set: JsonObject) =>
    isObject(fieldOf(set, child)) ? [fieldOf(set, child) as JsonObject] : [];
  const kept = pruning.kept.flatMap(below);
  const { defaults } = pruning;
  const byDefault = defaults === undefined ? undefined : partOf(defaults, child);
  if (kept.length > 0) {
    const [dropped = {}] = below(pruning.dropped);
    const pruned = pruneFields(value, { dropped, kept, defaults: byDefault }, place);
    if (!isEmpty(pruned.value) || isEmpty(value)) return pruned;
    return { ...pruned, value: defaults === undefined ? emptied(value) : byDefault };
  }
  if (sameJson(byDefault, value)) return { value, removed: [] };
  return { value: byDefault, removed: [place.replace(/^\./, "")] };
}

/** Of a map that loses all that was in it the server makes null, and of a list nothing, also where they are declared empty. */
function emptied(value: Json): Json | undefined {
  return isList(value) ? undefined : null;
}

/** What of a value is in a set: all of it below a field that is owned whole. undefined where that is nothing. */
export function onlyFields(value: Json, set: JsonObject): Json | undefined {
  const children = childrenOf(set);
  if (children.length === 0) return Object.hasOwn(set, ".") ? undefined : value;
  const parts = isList(value) ? onlyItems(value, set) : onlyNamed(value, set);
  const isEmpty = isList(parts) ? parts.length === 0 : Object.keys(parts).length === 0;
  return isEmpty ? undefined : parts;
}

/** What of a set there is in `value`, without what only leads to fields that are not in there. */
export function fieldsWithin(set: JsonObject, value: Json): JsonObject {
  return Object.fromEntries(
    Object.entries(set).flatMap(([child, below]) => {
      if (child === ".") return [[child, below]];
      const part = partOf(value, child);
      if (part === undefined || !isObject(below)) return [];
      const within = fieldsWithin(below, part);
      const isField = childrenOf(below).length === 0 || childrenOf(within).length > 0;
      return isField ? [[child, within]] : [];
    }),
  );
}

function onlyItems(items: readonly Json[], set: JsonObject): readonly Json[] {
  const keyOf = keyFinder(childrenOf(set));
  return items.flatMap((item) => {
    const child = keyOf(item);
    const below = child === undefined ? undefined : fieldOf(set, child);
    return isObject(below) ? [onlyFields(item, below) ?? keyFields(child ?? "")] : [];
  });
}

function onlyNamed(value: Json, set: JsonObject): JsonObject {
  const parts = childrenOf(set).flatMap((child) => {
    const [part, below] = [partOf(value, child), fieldOf(set, child)];
    const kept = part === undefined || !isObject(below) ? undefined : onlyFields(part, below);
    return kept === undefined ? [] : [[child.slice(2), kept] as const];
  });
  return Object.fromEntries(parts);
}

/** As much of a set as there is in `value`. */
export function fieldsPresent(set: JsonObject, value: Json): JsonObject {
  return Object.fromEntries(
    childrenOf(set).flatMap((child) => {
      const [part, below] = [partOf(value, child), fieldOf(set, child)];
      if (part === undefined || !isObject(below)) return [];
      return [[child, fieldsPresent(below, part)]];
    }),
  );
}

export function partOf(value: Json, child: string): Json | undefined {
  if (child.startsWith("f:")) {
    const name = child.slice(2);
    return isObject(value) ? fieldOf(value, name) : undefined;
  }
  const [place] = isList(value) ? placesOf(child, value) : [];
  return isList(value) && place !== undefined ? value[place] : undefined;
}

/** All at once: one after the other, each would copy the whole of a long list. */
function withParts(value: Json, parts: ReadonlyMap<string, Json | undefined>): Json {
  if (isList(value)) return withItems(value, parts);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const part = parts.has(`f:${name}`) ? parts.get(`f:${name}`) : inner;
      return part === undefined ? [] : [[name, part]];
    }),
  );
}

function withItems(
  items: readonly Json[],
  parts: ReadonlyMap<string, Json | undefined>,
): readonly Json[] {
  const byPlace = new Map<number, Json | undefined>();
  for (const [child, part] of parts) {
    for (const place of placesOf(child, items)) byPlace.set(place, part);
  }
  return items.flatMap((item, place) => {
    const part = byPlace.has(place) ? byPlace.get(place) : item;
    return part === undefined ? [] : [part];
  });
}

/** Every field that a set names, as text: `spec.template.spec.containers[name="web"].env`; a list item that is owned whole is one. */
export function pathsOfFields(set: JsonObject, path = ""): readonly string[] {
  return childrenOf(set).flatMap((child) => {
    const [below, place] = [fieldOf(set, child), `${path}${stepText(child)}`];
    const isWhole = !isObject(below) || childrenOf(below).length === 0 || Object.hasOwn(below, ".");
    return isWhole ? [place.replace(/^\./, "")] : pathsOfFields(below, place);
  });
}

/** `f:spec` → `.spec`, `f:a.b/c` → `["a.b/c"]`, `k:{"name":"web"}` → `[name="web"]`, `v:"x"` → `["x"]`. */
export function stepText(child: string): string {
  const text = child.slice(2);
  if (child.startsWith("f:")) return /^[\w-]+$/.test(text) ? `.${text}` : `["${text}"]`;
  if (!child.startsWith("k:")) return `[${text}]`;
  return `[${text.slice(1, -1).replaceAll(/"([^"]+)":/g, "$1=")}]`;
}

/** What a manifest declares there. */
export function declaredPart(declared: Json, child: string): Json | undefined {
  if (!isList(declared) || !child.startsWith("k:")) return partOf(declared, child);
  return declared[declaredPlace(child, declared)];
}

/** What managedFields lists below a field; `.` stands for the field itself. */
export function childrenOf(owned: JsonObject): readonly string[] {
  return Object.keys(owned).filter((field) => field !== ".");
}
