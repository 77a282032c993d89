import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import { declaredPlace, keyFields } from "../../ssa/list-items.ts";

/** A field as the API server names it in a conflict, found in an object. */
export interface FoundField {
  /** As written in `ignore-changes`: dots for fields, `[i]` for list items, `["a.b/c"]` for keys with dots. */
  readonly path: string;
  readonly value: Json | undefined;
}

/**
 * Reads a path like `.spec.template.spec.containers[name="web"].image` against an object. Keys are not quoted there
 * (`.metadata.labels.app.kubernetes.io/name`), so only the object itself tells where one ends.
 */
export function findField(object: Json, serverPath: string): FoundField {
  let rest = serverPath.startsWith(".") ? serverPath : `.${serverPath}`;
  let value: Json | undefined = object;
  let path = "";
  while (rest !== "") {
    const step: Step = rest.startsWith("[") ? itemStep(value, rest) : fieldStep(value, rest);
    if (step.length === 0) return { path: `${path}${rest}`.replace(/^\./, ""), value: undefined };
    path += step.text;
    value = step.value;
    rest = rest.slice(step.length);
  }
  return { path: path.replace(/^\./, ""), value };
}

interface Step {
  /** How many characters of the server's path it takes up; 0 when it leads nowhere. */
  readonly length: number;
  readonly text: string;
  readonly value: Json | undefined;
}

const nowhere: Step = { length: 0, text: "", value: undefined };

function fieldStep(value: Json | undefined, rest: string): Step {
  if (!isObject(value)) return nowhere;
  const field = Object.keys(value)
    .filter((name) => rest.startsWith(`.${name}`) && /^([.[]|$)/.test(rest.slice(name.length + 1)))
    .toSorted((a, b) => b.length - a.length)[0];
  if (field === undefined) return nowhere;
  const text = /^[\w-]+$/.test(field) ? `.${field}` : `["${field}"]`;
  return { length: field.length + 1, text, value: fieldOf(value, field) };
}

function itemStep(value: Json | undefined, rest: string): Step {
  const end = closingBracket(rest);
  if (!isList(value) || end < 0) return nowhere;
  const index = placeOf(keyOf(rest.slice(1, end)), value);
  if (index < 0) return nowhere;
  return { length: end + 1, text: `[${index}]`, value: value[index] };
}

/** An item whose key is misspelt has none of its fields: the server takes their defaults. */
function placeOf(key: string, items: readonly Json[]): number {
  const found = declaredPlace(key, items);
  const names = Object.keys(keyFields(key));
  if (found >= 0 || names.length === 0) return found;
  const isWithout = (item: Json) =>
    isObject(item) && names.every((name) => !Object.hasOwn(item, name));
  return items.filter(isWithout).length === 1 ? items.findIndex(isWithout) : -1;
}

/** `name="web"` or `containerPort=80,protocol="TCP"` as managedFields has it; `="x"` stands for the item itself in a set. */
function keyOf(text: string): string {
  const pairs = [...text.matchAll(/(?<=^|,)([^=,]*)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(
    ([, key = "", raw = ""]) => [key, parse(raw)] as const,
  );
  const [only] = pairs;
  if (only?.[0] === "") return `v:${JSON.stringify(only[1])}`;
  return pairs.length === 0 ? "" : `k:${JSON.stringify(Object.fromEntries(pairs))}`;
}

/** The first `]` that isn't inside quotes. */
function closingBracket(text: string): number {
  const match = /^\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]/.exec(text);
  return match === null ? -1 : match[0].length - 1;
}

function parse(raw: string): Json {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return raw;
  }
}
