import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  withoutField,
} from "../json.ts";

/** A field by its name, the item of a list by what tells it apart from the others, or by its place. */
export type FieldStep = string | number | ItemStep;

interface ItemStep {
  /** E.g. `{name: "web"}`. */
  readonly keys: JsonObject;
}

export interface FieldDifference {
  readonly path: readonly FieldStep[];
  /** undefined where there is nothing. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * The fields that differ, as deep as both sides have them. Items of a list are found by their keys, so an item that moves is no
 * difference; a list of plain values is one field.
 */
export function differencesOf(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly FieldStep[] = [],
): readonly FieldDifference[] {
  if (sameJson(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      differencesOf(fieldOf(before, name), fieldOf(after, name), [...path, name]),
    );
  }
  const pairs = isList(before) && isList(after) ? pairItems(before, after) : undefined;
  if (pairs === undefined) return [{ path, before, after }];
  return pairs.flatMap((pair) => differencesOf(pair.before, pair.after, [...path, pair.step]));
}

interface ItemPair {
  readonly step: FieldStep;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** undefined for lists whose items are no objects, which are compared as a whole. */
function pairItems(
  before: readonly Json[],
  after: readonly Json[],
): readonly ItemPair[] | undefined {
  const all = [...before, ...after];
  if (all.length === 0 || !all.every(isObject)) return undefined;
  const keys = keysOfItems(before, after);
  if (keys === undefined) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, i) => ({ step: i, before: before[i], after: after[i] }));
  }
  const [old, now] = [before, after].map(
    (items) => new Map(items.map((one) => [keyText(one, keys), one])),
  );
  const texts = [...new Set([...(old ?? []), ...(now ?? [])].map(([text]) => text))];
  return texts.map((text) => {
    const [a, b] = [old?.get(text), now?.get(text)];
    return { step: { keys: keysIn(b ?? a ?? null, keys) }, before: a, after: b };
  });
}

/** By what the kinds of Kubernetes tell items apart (`x-kubernetes-list-map-keys`), the first that every item has and no two share. */
const knownKeys: readonly (readonly string[])[] = [
  ...[["name"], ["containerPort", "protocol"], ["containerPort"], ["port", "protocol"], ["port"]],
  ...[["mountPath"], ["devicePath"], ["key"], ["ip"], ["type"], ["id"], ["uid"]],
];

/** Fields that tell the items of both lists apart; undefined where none do. */
export function keysOfItems(...lists: readonly (readonly Json[])[]): readonly string[] | undefined {
  return knownKeys.find((keys) =>
    lists.every((items) => {
      const texts = items.map((item) => keyText(item, keys));
      return !texts.includes(undefined) && new Set(texts).size === items.length;
    }),
  );
}

/** undefined where the item lacks one of the keys, or holds no plain value there. */
export function keyText(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const values = keys.map((key) => fieldOf(item, key));
  const isPlain = values.every((value) => typeof value === "string" || typeof value === "number");
  return isPlain ? JSON.stringify(values) : undefined;
}

function keysIn(item: Json, keys: readonly string[]): JsonObject {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.map((key) => [key, fieldOf(item, key) ?? null]));
}

/** What a value holds at a path. An item that lacks a key may be the one that is meant: the server fills in some of them. */
export function valueAtPath(value: Json | undefined, path: readonly FieldStep[]): Json | undefined {
  let current = value;
  for (const step of path) {
    if (typeof step === "string") current = isObject(current) ? fieldOf(current, step) : undefined;
    else if (!isList(current)) return undefined;
    else current = typeof step === "number" ? current[step] : itemOf(current, step);
  }
  return current;
}

function itemOf(items: readonly Json[], { keys }: ItemStep): Json | undefined {
  const entries = Object.entries(keys);
  return items.find(
    (item) =>
      isObject(item) &&
      entries.some(([name, value]) => fieldOf(item, name) === value) &&
      entries.every(([name, value]) => (fieldOf(item, name) ?? value) === value),
  );
}

/** `spec.template.spec.containers[name="web"].image`, `metadata.labels["a.b/c"]`. */
export function textOfPath(path: readonly FieldStep[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    if (typeof step === "string")
      return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    const keys = Object.entries(step.keys).map(
      ([name, value]) => `${name}=${JSON.stringify(value)}`,
    );
    return `[${keys.join(",")}]`;
  });
  return steps.join("").replace(/^\./, "");
}

/** The same with another value at a path, or without one there; what leads to it stays as it is where it is not there. */
export function withFieldAt(
  value: Json | undefined,
  [step, ...rest]: readonly FieldStep[],
  field: Json | undefined,
): Json | undefined {
  if (step === undefined) return field;
  if (typeof step === "string") {
    if (!isObject(value)) return value;
    const inner = withFieldAt(fieldOf(value, step), rest, field);
    return inner === undefined ? withoutField(value, step) : { ...value, [step]: inner };
  }
  if (!isList(value)) return value;
  const item = typeof step === "number" ? value[step] : itemOf(value, step);
  const inner = withFieldAt(item, rest, field);
  if (item === undefined) return inner === undefined ? value : [...value, inner];
  return value.flatMap((each) => (each !== item ? [each] : inner === undefined ? [] : [inner]));
}
