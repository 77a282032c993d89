import { childrenOf, isItem } from "./item-keys.ts";
import { isList, isObject, type Json, type JsonObject } from "./json.ts";
import { sameJson } from "./same-json.ts";

/**
 * Sets of fields in the form of `managedFields` (`fieldsV1`): a field, or the item of a list, holds the set of what is
 * owned below it, and `.` stands for itself.
 */
export function unionOfFields(sets: readonly JsonObject[]): JsonObject {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set)))].sort();
  const below = (name: string) =>
    sets.flatMap((set) => (isObject(set[name]) ? [set[name] as JsonObject] : []));
  return Object.fromEntries(names.map((name) => [name, unionOfFields(below(name))]));
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
  const below = (set: JsonObject) => (isObject(set[child]) ? [set[child] as JsonObject] : []);
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

/** As much of a set as there is in `value`. */
export function fieldsPresent(set: JsonObject, value: Json): JsonObject {
  return Object.fromEntries(
    childrenOf(set).flatMap((child) => {
      const [part, below] = [partOf(value, child), set[child]];
      if (part === undefined || !isObject(below)) return [];
      return [[child, fieldsPresent(below, part)]];
    }),
  );
}

function partOf(value: Json, child: string): Json | undefined {
  if (child.startsWith("f:")) {
    const name = child.slice(2);
    return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
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
  const { [child.slice(2)]: _before, ...others } = value;
  return part === undefined ? others : { ...others, [child.slice(2)]: part };
}

/** `f:spec` → `.spec`, `f:a.b/c` → `["a.b/c"]`, `k:{"name":"web"}` → `[name="web"]`, `v:"x"` → `["x"]`. */
function stepText(child: string): string {
  const text = child.slice(2);
  if (child.startsWith("f:")) return /^[\w-]+$/.test(text) ? `.${text}` : `["${text}"]`;
  if (!child.startsWith("k:")) return `[${text}]`;
  return `[${text.slice(1, -1).replaceAll(/"([^"]+)":/g, "$1=")}]`;
}
