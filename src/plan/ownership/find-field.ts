import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import { declaredIndex, keyFields } from "../../ssa/list-items.ts";

/** A field that the API server names in a conflict, with its value in an object. */
export interface FoundField {
  /**
   * The path as in `ignore-changes`: dots for fields, `[i]` for list items, `["a.b/c"]` for keys
   * with dots.
   */
  readonly path: string;
  readonly value: Json | undefined;
}

/**
 * Finds a field by a path such as `.spec.template.spec.containers[name="web"].image`.
 * Keys aren't quoted in such a path (`.metadata.labels.app.kubernetes.io/name`), so only the object
 * shows where a key ends.
 */
export function findField(object: Json, serverPath: string): FoundField {
  let rest = serverPath.startsWith(".") ? serverPath : `.${serverPath}`;
  let value: Json | undefined = object;
  let path = "";
  while (rest !== "") {
    const step: FoundStep = rest.startsWith("[") ? itemStep(value, rest) : fieldStep(value, rest);
    if (step.length === 0) return { path: `${path}${rest}`.replace(/^\./, ""), value: undefined };
    path += step.text;
    value = step.value;
    rest = rest.slice(step.length);
  }
  return { path: path.replace(/^\./, ""), value };
}

interface FoundStep {
  /** The length of the step in the API server's path; 0 if it leads nowhere. */
  readonly length: number;
  readonly text: string;
  readonly value: Json | undefined;
}

const noStep: FoundStep = { length: 0, text: "", value: undefined };

function fieldStep(value: Json | undefined, rest: string): FoundStep {
  if (!isObject(value)) return noStep;
  const field = Object.keys(value)
    .filter((name) => rest.startsWith(`.${name}`) && /^([.[]|$)/.test(rest.slice(name.length + 1)))
    .toSorted((a, b) => b.length - a.length)[0];
  if (field === undefined) return noStep;
  const text = /^[\w-]+$/.test(field) ? `.${field}` : `["${field}"]`;
  return { length: field.length + 1, text, value: fieldOf(value, field) };
}

function itemStep(value: Json | undefined, rest: string): FoundStep {
  const end = closingBracket(rest);
  if (!isList(value) || end < 0) return noStep;
  const index = itemIndex(toManagedKey(rest.slice(1, end)), value);
  if (index < 0) return noStep;
  return { length: end + 1, text: `[${index}]`, value: value[index] };
}

/**
 * Returns the index of the item with a key; -1 if there is none.
 * An item whose key field is misspelled has none of the key fields, and the API server uses their
 * defaults.
 */
function itemIndex(key: string, items: readonly Json[]): number {
  const found = declaredIndex(key, items);
  const names = Object.keys(keyFields(key));
  if (found >= 0 || names.length === 0) return found;
  const isWithout = (item: Json) =>
    isObject(item) && names.every((name) => !Object.hasOwn(item, name));
  return items.filter(isWithout).length === 1 ? items.findIndex(isWithout) : -1;
}

/**
 * Converts a key such as `name="web"` or `containerPort=80,protocol="TCP"` to the form in
 * managedFields.
 * `="x"` stands for the item itself in a set.
 */
function toManagedKey(text: string): string {
  const pairs = [...text.matchAll(/(?<=^|,)([^=,]*)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(
    ([, key = "", raw = ""]) => [key, parseValue(raw)] as const,
  );
  const [only] = pairs;
  if (only?.[0] === "") return `v:${JSON.stringify(only[1])}`;
  return pairs.length === 0 ? "" : `k:${JSON.stringify(Object.fromEntries(pairs))}`;
}

/** Returns the index of the first `]` outside quotes; -1 if there is none. */
function closingBracket(text: string): number {
  const match = /^\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]/.exec(text);
  return match === null ? -1 : match[0].length - 1;
}

function parseValue(raw: string): Json {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return raw;
  }
}
