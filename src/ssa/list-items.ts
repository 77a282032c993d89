import { fieldOf, isObject, type Json, type JsonObject } from "../model/json.ts";

/**
 * How `managedFields` names the items of lists: `k:{"name":"web"}` by some of their fields, `v:"text"` by themselves. A list may have thousands of
 * them, so that a key is read once and looked up.
 */

/** The places in a list of what a key stands for. The server allows some lists to have an item twice. */
export function placesOf(key: string, items: readonly Json[]): readonly number[] {
  const read = readKey(key);
  if (read === undefined) return nowhere;
  return indexOf(items, read.names).get(read.text) ?? nowhere;
}

/** Finds the key of an item among these, the first where several stand for it. */
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
 * The place of that item in a list as it is declared; -1 where it is not in there. A key field that is left out gets its
 * default from the server (`protocol: TCP`), so an item that lacks some and has the others stands for it, if it is the only one.
 */
export function declaredPlace(key: string, items: readonly Json[]): number {
  const [exact] = placesOf(key, items);
  if (exact !== undefined) return exact;
  const fields = keyFields(key);
  const names = Object.keys(fields).toSorted();
  // Who has the only field has it all.
  if (names.length < 2) return -1;
  const agreeing = [...lackingIn(items, names)].flatMap(([, { present, places }]) => {
    const absent = names.filter((name) => !present.includes(name));
    if (absent.some((name) => required.has(name) && !isZero(fieldOf(fields, name)))) return [];
    const text = textFor(fields, present);
    return text === undefined ? [] : (places.get(text) ?? []);
  });
  return agreeing.length === 1 ? (agreeing[0] ?? -1) : -1;
}

/** The fields by which `k:{"name":"web"}` finds its item; none for other keys. */
export function keyFields(key: string): JsonObject {
  const value = key.startsWith("k:") ? parse(key.slice(2)) : undefined;
  return isObject(value) ? value : {};
}

/** The fields that a key names, sorted; undefined where it is the item itself. */
type Names = readonly string[] | undefined;

type Places = Map<string, number[]>;

const nowhere: readonly number[] = [];

/** What a key names, as items are looked up by it. */
function readKey(key: string): { readonly names: Names; readonly text: string } | undefined {
  const value = parse(key.slice(2));
  if (value === undefined) return undefined;
  if (key.startsWith("v:")) return { names: undefined, text: sortedText(value) };
  if (!key.startsWith("k:") || !isObject(value)) return undefined;
  const names = Object.keys(value).toSorted();
  const text = textFor(value, names);
  return text === undefined ? undefined : { names, text };
}

/** What an item is told by; undefined where it lacks a field. */
function textFor(item: Json, names: Names): string | undefined {
  if (names === undefined) return sortedText(item);
  if (!isObject(item)) return undefined;
  const values = names.map((name) => fieldOf(item, name));
  return values.every((value) => value !== undefined) ? sortedText(values) : undefined;
}

/** The same text for what is equal as JSON. */
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

/** Lists are immutable, and asked for one item after the other. */
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

/** What lists of built-in kinds are merged by, beside `protocol`: it has no default, so what lacks it stands for what is 0 or "" there. */
const required: ReadonlySet<string> = new Set([
  "containerPort",
  "port",
  "topologyKey",
  "whenUnsatisfiable",
]);

function isZero(value: Json | undefined): boolean {
  return value === 0 || value === "";
}

/** Items that have some of the fields, by those that they have. */
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
