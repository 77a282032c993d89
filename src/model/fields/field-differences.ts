import { isBuiltInGroup } from "../cluster/api/built-in-groups.ts";
import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
  withoutField,
} from "../json.ts";
import { groupOf } from "../object.ts";

/** A step of a path: a field name, the index of a list item, or the keys that identify the item. */
export type FieldStep = string | number | ItemStep;

interface ItemStep {
  /** E.g. `{name: "web"}`. */
  readonly keys: JsonObject;
}

export interface FieldDifference {
  readonly path: readonly FieldStep[];
  /** The old value; undefined if the field doesn't exist. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Returns the fields that differ, as deep as both sides have them.
 * List items are matched by their keys. A list of plain values is one field. If the order of a list
 * matters and its items change places, the whole list is a difference. The differences within its
 * items are listed too.
 * Both sides are whole objects, or contain no list that the server merges.
 */
export function fieldDifferences(
  before: Json | undefined,
  after: Json | undefined,
): readonly FieldDifference[] {
  return compareValues({ before, after }, [], unorderedLists(after, before));
}

type Sides = Pick<FieldDifference, "before" | "after">;

function compareValues(
  { before, after }: Sides,
  path: readonly FieldStep[],
  isUnordered: IsUnordered,
): readonly FieldDifference[] {
  if (sameJson(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => {
      const sides = { before: fieldOf(before, name), after: fieldOf(after, name) };
      return compareValues(sides, [...path, name], isUnordered);
    });
  }
  const whole = { path, before, after };
  if (!isList(before) || !isList(after)) return [whole];
  const pairs = pairItems(before, after);
  if (pairs === undefined) return [whole];
  const isMoved = !isUnordered(String(path.at(-1))) && isReordered(before, after);
  const items = pairs.flatMap((pair) => compareValues(pair, [...path, pair.step], isUnordered));
  return isMoved ? [whole, ...items] : items;
}

/** Reports whether items that both lists contain have another relative order. */
function isReordered(before: readonly Json[], after: readonly Json[]): boolean {
  const keys = itemKeyFields(before, after);
  if (keys === undefined) return false;
  const [old, now] = [before, after].map((items) => items.map((item) => keyText(item, keys)));
  const [wasThere, isThere] = [new Set(old), new Set(now)];
  const stay = old?.filter((text) => isThere.has(text)) ?? [];
  const stayed = now?.filter((text) => wasThere.has(text)) ?? [];
  return stay.some((text, place) => text !== stayed[place]);
}

interface MatchedItems {
  readonly step: FieldStep;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Pairs the items of two lists.
 * Returns undefined if the items aren't objects. Such lists are compared as a whole.
 */
function pairItems(
  before: readonly Json[],
  after: readonly Json[],
): readonly MatchedItems[] | undefined {
  const all = [...before, ...after];
  if (all.length === 0 || !all.every(isObject)) return undefined;
  const keys = itemKeyFields(before, after);
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
    return { step: { keys: pickKeys(b ?? a ?? null, keys) }, before: a, after: b };
  });
}

/**
 * The keys of list items in Kubernetes kinds (`x-kubernetes-list-map-keys`). The first entry that
 * every item has and that is unique is used.
 */
const knownKeys: readonly (readonly string[])[] = [
  ...[["name"], ["containerPort", "protocol"], ["containerPort"], ["port", "protocol"], ["port"]],
  ...[["mountPath"], ["devicePath"], ["key"], ["ip"], ["type"], ["id"], ["uid"]],
];

/** Returns the fields that identify the items of all lists; undefined if there are none. */
export function itemKeyFields(
  ...lists: readonly (readonly Json[])[]
): readonly string[] | undefined {
  return knownKeys.find((keys) =>
    lists.every((items) => {
      const texts = items.map((item) => keyText(item, keys));
      return !texts.includes(undefined) && new Set(texts).size === items.length;
    }),
  );
}

/**
 * Returns the key values of an item as one string.
 * Returns undefined if the item lacks a key or its value isn't a string or number.
 */
export function keyText(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const values = keys.map((key) => fieldOf(item, key));
  const isPlain = values.every((value) => typeof value === "string" || typeof value === "number");
  return isPlain ? JSON.stringify(values) : undefined;
}

function pickKeys(item: Json, keys: readonly string[]): JsonObject {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.map((key) => [key, fieldOf(item, key) ?? null]));
}

/**
 * Returns the value at a path.
 * An item that lacks some of the keys can still match, because the server adds defaults for them.
 */
export function valueAtPath(value: Json | undefined, path: readonly FieldStep[]): Json | undefined {
  let current = value;
  for (const step of path) {
    if (typeof step === "string") current = isObject(current) ? fieldOf(current, step) : undefined;
    else if (!isList(current)) return undefined;
    else current = typeof step === "number" ? current[step] : findItem(current, step);
  }
  return current;
}

function findItem(items: readonly Json[], { keys }: ItemStep): Json | undefined {
  const entries = Object.entries(keys);
  return items.find(
    (item) =>
      isObject(item) &&
      entries.some(([name, value]) => fieldOf(item, name) === value) &&
      entries.every(([name, value]) => (fieldOf(item, name) ?? value) === value),
  );
}

/**
 * Formats a path: `spec.template.spec.containers[name="web"].image`, `metadata.labels["a.b/c"]`.
 */
export function formatFieldPath(path: readonly FieldStep[]): string {
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

/**
 * Returns a copy with another value at a path, or without the field if `field` is undefined.
 * If the parent doesn't exist, the value stays the same.
 */
export function setField(
  value: Json | undefined,
  [step, ...rest]: readonly FieldStep[],
  field: Json | undefined,
): Json | undefined {
  if (step === undefined) return field;
  if (typeof step === "string") {
    if (!isObject(value)) return value;
    const inner = setField(fieldOf(value, step), rest, field);
    return inner === undefined ? withoutField(value, step) : { ...value, [step]: inner };
  }
  if (!isList(value)) return value;
  const item = typeof step === "number" ? value[step] : findItem(value, step);
  const inner = setField(item, rest, field);
  if (item === undefined) return inner === undefined ? value : [...value, inner];
  return value.flatMap((each) => (each !== item ? [each] : inner === undefined ? [] : [inner]));
}

/** Reports whether the order of an object's list has no meaning, by the name of its field. */
export type IsUnordered = (list: string) => boolean;

/**
 * Returns a test for the lists that the API server merges by a key and whose order has no meaning.
 * In every other list, the order matters. Steps, routes and filters of custom resources, and
 * mutating webhooks, run one after the other. Containers start in their order. An environment
 * variable can use the variables before it.
 */
export function unorderedLists(...sides: readonly (Json | undefined)[]): IsUnordered {
  const object = sides.find((side) => isObject(side));
  const [version, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")];
  const isBuiltIn = version !== undefined && isBuiltInGroup(groupOf(version));
  return (list) => {
    if (!isBuiltIn) return list === "ownerReferences" && version !== undefined;
    return (
      unordered.has(list) || (list === "webhooks" && kind === "ValidatingWebhookConfiguration")
    );
  };
}

/** Lists with `patchMergeKey` or `x-kubernetes-list-type: map` in the kinds of Kubernetes. */
const unordered: ReadonlySet<string> = new Set([
  ...["volumes", "volumeMounts", "volumeDevices", "ports", "imagePullSecrets", "hostAliases"],
  ...["topologySpreadConstraints", "resourceClaims", "schedulingGates", "secrets"],
  ...["ownerReferences", "conditions", "matchConditions"],
]);
