import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  withoutField,
} from "../model/json.ts";

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
  let pruned = value;
  const removed: string[] = [];
  for (const child of childrenOf(pruning.dropped)) {
    const inner = partOf(pruned, child);
    if (inner === undefined) continue;
    const below = pruneChild(inner, child, pruning, `${path}${stepText(child)}`);
    if (below.removed.length > 0) pruned = withPart(pruned, child, below.value);
    removed.push(...below.removed);
  }
  return { value: pruned, removed };
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
    return pruneFields(value, { dropped, kept, defaults: byDefault }, place);
  }
  if (sameJson(byDefault, value)) return { value, removed: [] };
  return { value: byDefault, removed: [place.replace(/^\./, "")] };
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
  return items.flatMap((item) => {
    const child = childrenOf(set).find((each) => isItem(each, item));
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
  return isList(value) ? value.find((item) => isItem(child, item)) : undefined;
}

function withPart(value: Json, child: string, part: Json | undefined): Json {
  if (isList(value)) {
    return value.flatMap((item) =>
      isItem(child, item) ? (part === undefined ? [] : [part]) : [item],
    );
  }
  if (!isObject(value)) return value;
  const name = child.slice(2);
  const others = withoutField(value, name);
  return part === undefined ? others : { ...others, [name]: part };
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

/** Whether a list item is the one that `k:{"name":"web"}` or `v:"text"` of managedFields stands for. */
export function isItem(key: string, item: Json): boolean {
  const value = parse(key.slice(2));
  if (key.startsWith("v:")) return sameJson(value, item);
  if (!key.startsWith("k:") || !isObject(value) || !isObject(item)) return false;
  return Object.entries(value).every(([field, expected]) =>
    sameJson(fieldOf(item, field), expected),
  );
}

/** What a manifest declares there. */
export function declaredPart(declared: Json, child: string): Json | undefined {
  if (!isList(declared) || !child.startsWith("k:")) return partOf(declared, child);
  return declared[declaredPlace(child, declared)];
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
    fields.every(
      ([field, value]) => !Object.hasOwn(item, field) || sameJson(fieldOf(item, field), value),
    );
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
