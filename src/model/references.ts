import { isList, isObject, type Json, type JsonObject } from "./json.ts";

/** A reference to a field of another resource's live object, as `$(ref.ID.PATH)` in a string (spec §2). */
export interface Reference {
  /** Resource id. */
  readonly id: string;
  /** Fields by name, list items by index. */
  readonly path: readonly (string | number)[];
  /** As written, e.g. `$(ref.web.status.loadBalancer.ingress[0].ip)`. */
  readonly text: string;
}

/** Every reference in `value` to one of the resource ids `ids`, in the order of its text. */
export function referencesIn(value: Json, ids: ReadonlySet<string>): readonly Reference[] {
  if (typeof value === "string") {
    return [...value.matchAll(pattern)].flatMap(([text, inner = ""]) => parse(text, inner, ids));
  }
  if (isList(value)) return value.flatMap((item) => referencesIn(item, ids));
  return isObject(value) ? Object.values(value).flatMap((item) => referencesIn(item, ids)) : [];
}

/**
 * `value` with every reference replaced by what `lookup` gives. Alone in a string it keeps its type, inside text it
 * becomes text. What `lookup` does not know stays as written.
 */
export function replaceReferences<T extends Json>(
  value: T,
  ids: ReadonlySet<string>,
  lookup: (reference: Reference) => Json | undefined,
): T {
  return replace(value, (text) => replaceInText(text, ids, lookup)) as T;
}

/** The value that a reference means within the object that it refers to. */
export function valueAt(
  object: Json | undefined,
  path: readonly (string | number)[],
): Json | undefined {
  let current = object;
  for (const step of path) {
    if (typeof step === "number") current = isList(current) ? current[step] : undefined;
    else current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}

const pattern = /\$\(ref\.([^()]+)\)/g;

/** Ids may hold dots themselves, so the longest known id that the reference starts with is meant. */
function parse(text: string, inner: string, ids: ReadonlySet<string>): readonly Reference[] {
  const starts = [...ids].filter(
    (id) => inner.startsWith(id) && /^[.[]/.test(inner.slice(id.length)),
  );
  const id = starts.sort((a, b) => b.length - a.length)[0];
  return id === undefined ? [] : [{ id, path: steps(inner.slice(id.length)), text }];
}

/** `.a.b[0]["c.d"]` as its steps. */
function steps(path: string): readonly (string | number)[] {
  const parts = path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\["([^"]+)"\]/g);
  return [...parts].map(([, field, index, quoted]) =>
    index === undefined ? (field ?? quoted ?? "") : Number(index),
  );
}

function replaceInText(
  text: string,
  ids: ReadonlySet<string>,
  lookup: (reference: Reference) => Json | undefined,
): Json {
  const [first] = referencesIn(text, ids);
  if (first?.text === text) return lookup(first) ?? text;
  return text.replace(pattern, (written, inner: string) => {
    const [reference] = parse(written, inner, ids);
    const value = reference === undefined ? undefined : lookup(reference);
    if (value === undefined) return written;
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function replace(value: Json, change: (text: string) => Json): Json {
  if (typeof value === "string") return change(value);
  if (isList(value)) return value.map((item) => replace(item, change));
  if (!isObject(value)) return value;
  const fields: JsonObject = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, replace(field, change)]),
  );
  return fields;
}
