import { fieldOf, isObject, type Json, type JsonObject, parseJson } from "../model/json.ts";

/**
 * Keys of list items as in `managedFields`: `k:{"name":"web"}` by some of their fields, `v:"text"`
 * by their value.
 * A list can have thousands of items, so each key is parsed once and looked up in an index.
 */

/**
 * Returns the indexes of the items with a key.
 * The API server allows duplicate items in some lists.
 */
export function itemIndexes(key: string, items: readonly Json[]): readonly number[] {
  const read = parseKey(key);
  if (read === undefined) return noIndexes;
  return indexItems(items, read.names).get(read.text) ?? noIndexes;
}

/** Returns a function that finds the key of an item; the first one if several match. */
export function keyFinder(keys: readonly string[]): (item: Json) => string | undefined {
  const shapes = new Map<
    string,
    { readonly names: KeyNames; readonly places: Map<string, number> }
  >();
  for (const [place, key] of keys.entries()) {
    const read = parseKey(key);
    if (read === undefined) continue;
    const { names, text } = read;
    const { places } = getOrAdd(shapes, shapeKey(names), () => ({ names, places: new Map() }));
    if (!places.has(text)) places.set(text, place);
  }
  return (item) => {
    const found = [...shapes.values()].flatMap(({ names, places }) => {
      const text = lookupText(item, names);
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
export function declaredIndex(key: string, items: readonly Json[]): number {
  const [exact] = itemIndexes(key, items);
  if (exact !== undefined) return exact;
  const fields = keyFields(key);
  const names = Object.keys(fields).toSorted();
  // An item with a single key field either has the whole key or none of it.
  if (names.length < 2) return -1;
  const agreeing = [...indexPartialKeys(items, names)].flatMap(([, { present, places }]) => {
    const absent = names.filter((name) => !present.includes(name));
    if (absent.some((name) => keyFieldsWithoutDefault.has(name) && !isZero(fieldOf(fields, name))))
      return [];
    const text = lookupText(fields, present);
    return text === undefined ? [] : (places.get(text) ?? []);
  });
  return agreeing.length === 1 ? (agreeing[0] ?? -1) : -1;
}

/** Returns the fields of a key such as `k:{"name":"web"}`; none for other keys. */
export function keyFields(key: string): JsonObject {
  const value = key.startsWith("k:") ? parseJson(key.slice(2)) : undefined;
  return isObject(value) ? value : {};
}

/** The fields of a key, sorted; undefined if the key is the value of the item. */
type KeyNames = readonly string[] | undefined;

type ItemIndex = Map<string, number[]>;

const noIndexes: readonly number[] = [];

/** Parses a key for the lookup in an index. */
function parseKey(key: string): { readonly names: KeyNames; readonly text: string } | undefined {
  const value = parseJson(key.slice(2));
  if (value === undefined) return undefined;
  if (key.startsWith("v:")) return { names: undefined, text: sortedText(value) };
  if (!key.startsWith("k:") || !isObject(value)) return undefined;
  const names = Object.keys(value).toSorted();
  const text = lookupText(value, names);
  return text === undefined ? undefined : { names, text };
}

/** Returns the lookup text of an item; undefined if the item lacks a key field. */
function lookupText(item: Json, names: KeyNames): string | undefined {
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

function shapeKey(names: KeyNames): string {
  return names === undefined ? "" : JSON.stringify(names);
}

/** Lists are immutable, and callers look up one item after another. */
const indexes = new WeakMap<readonly Json[], Map<string, ItemIndex>>();

function indexItems(items: readonly Json[], names: KeyNames): ItemIndex {
  const ofList = getOrAdd(indexes, items, () => new Map<string, ItemIndex>());
  return getOrAdd(ofList, shapeKey(names), () => {
    const index: ItemIndex = new Map();
    for (const [place, item] of items.entries()) {
      const text = lookupText(item, names);
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
const keyFieldsWithoutDefault: ReadonlySet<string> = new Set([
  "containerPort",
  "port",
  "topologyKey",
  "whenUnsatisfiable",
]);

function isZero(value: Json | undefined): boolean {
  return value === 0 || value === "";
}

/** Items with only some of the key fields, grouped by these fields. */
type PartialKeyIndex = Map<
  string,
  { readonly present: readonly string[]; readonly places: ItemIndex }
>;

const partialKeyIndexes = new WeakMap<readonly Json[], Map<string, PartialKeyIndex>>();

function indexPartialKeys(items: readonly Json[], names: readonly string[]): PartialKeyIndex {
  const ofList = getOrAdd(partialKeyIndexes, items, () => new Map<string, PartialKeyIndex>());
  return getOrAdd(ofList, shapeKey(names), () => {
    const lacking: PartialKeyIndex = new Map();
    for (const [place, item] of items.entries()) {
      if (!isObject(item)) continue;
      const present = names.filter((name) => Object.hasOwn(item, name));
      if (present.length === 0 || present.length === names.length) continue;
      const add = () => ({ present, places: new Map() });
      const { places } = getOrAdd(lacking, shapeKey(present), add);
      const text = lookupText(item, present) ?? "";
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
