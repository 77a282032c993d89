import { fieldOf, isObject, type Json, type JsonObject } from "../model/json.ts";

/**
 * Keys of list items as in `managedFields`: `k:{"name":"web"}` by some of their fields, `v:"text"`
 * by their value.
 * A list can have thousands of items, so each key is parsed once and looked up in an index.
 */

/**
 * Returns the indexes of the items with a key.
 * The API server allows duplicate items in some lists.
 */
export function placesOf(key: string, items: readonly Json[]): readonly number[] {
  const read = readKey(key);
  if (read === undefined) return nowhere;
  return indexOf(items, read.names).get(read.text) ?? nowhere;
}

/** Returns a function that finds the key of an item; the first one if several match. */
export function keyFinder(keys: readonly string[]): (item: Json) => string | undefined {
  const shapes = new Map<string, { readonly names: Names; readonly places: Map<string, number> }>();
  for (const [place, key] of keys.entries()) {
    const read = readKey(key);
    if (read === undefined) continue;
    const { names, text } = read;
    const { places } = getOrAdd(shapes, shapeOf(names), () => ({ names, places: new Map() }));
    if (!places.has(text)) places.set(text, place);
  }
  return (item) => {
    const found = [...shapes.values()].flatMap(({ names, places }) => {
      const text = textFor(item, names);
      return text === undefined ? [] : (places.get(text) ?? []);
    });
    return keys[Math.min(...found)];
  };
}

/**
 * Returns the index of an item in a declared list; -1 if it isn't in the list.
 * The API server fills in default values of missing key fields (`protocol: TCP`).
 * An item without some key fields therefore matches if the others agree and no other item matches.
 */
export function declaredPlace(key: string, items: readonly Json[]): number {
  const [exact] = placesOf(key, items);
  if (exact !== undefined) return exact;
  const fields = keyFields(key);
  const names = Object.keys(fields).toSorted();
  // An item with a single key field either has the whole key or none of it.
  if (names.length < 2) return -1;
  const agreeing = [...lackingIn(items, names)].flatMap(([, { present, places }]) => {
    const absent = names.filter((name) => !present.includes(name));
    if (absent.some((name) => required.has(name) && !isZero(fieldOf(fields, name)))) return [];
    const text = textFor(fields, present);
    return text === undefined ? [] : (places.get(text) ?? []);
  });
  return agreeing.length === 1 ? (agreeing[0] ?? -1) : -1;
}

/** Returns the fields of a key such as `k:{"name":"web"}`; none for other keys. */
export function keyFields(key: string): JsonObject {
  const value = key.startsWith("k:") ? parse(key.slice(2)) : undefined;
  return isObject(value) ? value : {};
}

/** The fields of a key, sorted; undefined if the key is the value of the item. */
type Names = readonly string[] | undefined;

type Places = Map<string, number[]>;

const nowhere: readonly number[] = [];

/** Parses a key for the lookup in an index. */
function readKey(key: string): { readonly names: Names; readonly text: string } | undefined {
  const value = parse(key.slice(2));
  if (value === undefined) return undefined;
  if (key.startsWith("v:")) return { names: undefined, text: sortedText(value) };
  if (!key.startsWith("k:") || !isObject(value)) return undefined;
  const names = Object.keys(value).toSorted();
  const text = textFor(value, names);
  return text === undefined ? undefined : { names, text };
}

/** Returns the lookup text of an item; undefined if the item lacks a key field. */
function textFor(item: Json, names: Names): string | undefined {
  if (names === undefined) return sortedText(item);
  if (!isObject(item)) return undefined;
  const values = names.map((name) => fieldOf(item, name));
  return values.every((value) => value !== undefined) ? sortedText(values) : undefined;
}

/** Returns the same text for equal JSON values. */
function sortedText(value: Json): string {
  return JSON.stringify(value, (_name, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function shapeOf(names: Names): string {
  return names === undefined ? "" : JSON.stringify(names);
}

/** Lists are immutable, and callers look up one item after another. */
const indexes = new WeakMap<readonly Json[], Map<string, Places>>();

function indexOf(items: readonly Json[], names: Names): Places {
  const ofList = getOrAdd(indexes, items, () => new Map<string, Places>());
  return getOrAdd(ofList, shapeOf(names), () => {
    const index: Places = new Map();
    for (const [place, item] of items.entries()) {
      const text = textFor(item, names);
      if (text !== undefined) getOrAdd(index, text, () => []).push(place);
    }
    return index;
  });
}

/**
 * The key fields of lists of built-in kinds, except `protocol`.
 * They have no default, so an item without one has the value 0 or "" there. If qvs took the number
 * from the live item, the API server would accept an update that the apply then doesn't make.
 */
const required: ReadonlySet<string> = new Set([
  "containerPort",
  "port",
  "topologyKey",
  "whenUnsatisfiable",
]);

function isZero(value: Json | undefined): boolean {
  return value === 0 || value === "";
}

/** Items with only some of the key fields, grouped by these fields. */
type Lacking = Map<string, { readonly present: readonly string[]; readonly places: Places }>;

const lackingIndexes = new WeakMap<readonly Json[], Map<string, Lacking>>();

function lackingIn(items: readonly Json[], names: readonly string[]): Lacking {
  const ofList = getOrAdd(lackingIndexes, items, () => new Map<string, Lacking>());
  return getOrAdd(ofList, shapeOf(names), () => {
    const lacking: Lacking = new Map();
    for (const [place, item] of items.entries()) {
      if (!isObject(item)) continue;
      const present = names.filter((name) => Object.hasOwn(item, name));
      if (present.length === 0 || present.length === names.length) continue;
      const add = () => ({ present, places: new Map() });
      const { places } = getOrAdd(lacking, shapeOf(present), add);
      const text = textFor(item, present) ?? "";
      getOrAdd(places, text, () => []).push(place);
    }
    return lacking;
  });
}

function getOrAdd<K, V>(
  map: { get: (key: K) => V | undefined; set: (key: K, value: V) => unknown },
  key: K,
  make: () => V,
): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
