import {
  at,
  fieldOf,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
} from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { itemKeys } from "../validation/limits.ts";
import { childKeys, declaredChild, pruneFields, unionFieldSets } from "./field-sets.ts";
import { declaredIndex, itemIndexes, keyFields, keyFinder } from "./list-items.ts";
import { fieldOwners, findApplyEntry } from "./managed-fields.ts";
import { childSchema, mergesBySchema, reconcileFieldSet } from "./merge-schema.ts";

/**
 * Predicts the result of applying an object, for a live object that the API server can't dry-run.
 * It uses the API server's merge rules and the recorded owners.
 * Fields that this deployment no longer declares and no other manager owns are removed. Other
 * undeclared fields stay.
 */
export function mergeLocally(
  live: KubeObject,
  desired: KubeObject,
  manager: string,
  { defaults = "unknown", schema, previous }: MergeOptions = {},
): KubeObject {
  const owners = fieldOwners(live).map((owner) => ({
    ...owner,
    fields: schema === undefined ? owner.fields : reconcileFieldSet(owner.fields, schema),
  }));
  const applied = findApplyEntry(live, manager);
  const ours = owners.find((owner) => isSameOwner(owner, applied));
  const others = owners.filter((owner) => !isSameOwner(owner, ours)).map(({ fields }) => fields);
  const dropped = ours === undefined ? {} : undeclaredFields(ours.fields, desired);
  const kept = [...others, declaredFields(ours?.fields ?? {}, desired)];
  const { value } = pruneFields(live, { dropped, kept, defaults: undefined });
  const known = unionFieldSets(owners.map(({ fields }) => fields));
  return mergeValue(value, desired, { known, schema, defaults, previous }) as KubeObject;
}

interface MergeOptions {
  readonly defaults?: Defaults | undefined;
  /**
   * The future schema of the kind; without it, the recorded owners show which lists and maps are
   * merged.
   */
  readonly schema?: JsonObject | undefined;
  /** The manifest that this deployment applied last. Its fields aren't defaults. */
  readonly previous?: Json | undefined;
}

/**
 * The treatment of undeclared fields in a list or map that is replaced as a whole.
 * Such a field can be a default or an earlier declared value. "kept" treats it as a default, so no
 * field is wrongly shown as removed.
 * With "filled in", the caller adds the defaults later, so none of these fields stays.
 */
type Defaults = "unknown" | "kept" | "filled in";

type OwnerEntry = ReturnType<typeof fieldOwners>[number];

function isSameOwner(a: OwnerEntry, b: OwnerEntry | undefined): boolean {
  return (
    b !== undefined &&
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource
  );
}

/** Returns the fields of a set that the manifest no longer declares. */
export function undeclaredFields(set: JsonObject, desired: Json): JsonObject {
  return Object.fromEntries(
    childKeys(set).flatMap((child) => {
      const below = fieldOf(set, child) as JsonObject;
      const part = declaredChild(desired, child);
      if (part === undefined) return [[child, below]];
      const inner = undeclaredFields(below, part);
      return childKeys(inner).length === 0 ? [] : [[child, inner]];
    }),
  );
}

/**
 * Returns the fields of a set that are still declared, with their parents.
 * If only items of a list change, the maps around them stay.
 */
function declaredFields(set: JsonObject, desired: Json): JsonObject {
  return Object.fromEntries(
    childKeys(set).flatMap((child) => {
      const part = declaredChild(desired, child);
      return part === undefined
        ? []
        : [[child, declaredFields(fieldOf(set, child) as JsonObject, part)]];
    }),
  );
}

interface MergePlace {
  /**
   * The fields that any manager owns at this place.
   * Without a schema, they show which maps and lists are merged and which are replaced as a whole.
   */
  readonly known: JsonObject;
  readonly schema: JsonObject | undefined;
  readonly defaults: Defaults;
  /** The value that this deployment applied last at this place, as far as it is known. */
  readonly previous: Json | undefined;
}

function childPlace(
  { known, schema, defaults, previous }: MergePlace,
  child: string | undefined,
): MergePlace {
  const below = child === undefined ? undefined : fieldOf(known, child);
  const name = child?.startsWith("f:") ? child.slice("f:".length) : undefined;
  return {
    known: isObject(below) ? below : {},
    schema: childSchema(schema, child ?? "k:"),
    defaults,
    previous: name !== undefined && isObject(previous) ? fieldOf(previous, name) : undefined,
  };
}

function mergeValue(live: Json | undefined, desired: Json, place: MergePlace): Json {
  if (live === undefined) return desired;
  if (desired === null) return survivesNull(live, place) ? live : null;
  const bySchema = mergesBySchema(desired, place.schema);
  const isWhole = bySchema === undefined ? childKeys(place.known).length === 0 : !bySchema;
  if (isObject(live) && isObject(desired)) {
    // A field without an owner is a default of the API server. It stays next to declared fields.
    const isKept = isWhole && addsOnlyDefaults(live, desired, place.previous);
    return isKept ? live : mergeFields(live, desired, place);
  }
  if (isList(live) && isList(desired)) {
    return isWhole ? replaceItems(live, desired, place) : mergeItems(live, desired, place);
  }
  return desired;
}

/**
 * Reports whether a merged map or list keeps its content although null is declared.
 * Null removes only the fields that this deployment applied.
 */
function survivesNull(live: Json, { known, schema }: MergePlace): boolean {
  const isFilled = (isObject(live) || isList(live)) && !isEmpty(live);
  return isFilled && (mergesBySchema(live, schema) ?? childKeys(known).length > 0);
}

function mergeFields(live: JsonObject, desired: JsonObject, place: MergePlace): JsonObject {
  const { known, defaults } = place;
  const merged = Object.entries(desired).flatMap(([name, value]): [string, Json | undefined][] => {
    const owned = fieldOf(known, `f:${name}`);
    const below = childPlace(place, `f:${name}`);
    const before = liveField(live, name, value);
    // A manager owns the field, but it isn't live: the API server drops an empty value of this
    // field.
    if (before === undefined && owned !== undefined && isEmpty(value)) return [];
    const isOwnedWhole = isObject(owned) && childKeys(owned).length === 0;
    const bySchema = mergesBySchema(value, below.schema);
    const isAtomic = bySchema === undefined ? isOwnedWhole : !bySchema;
    const isEmptied = isObject(owned) && !isAtomic && isEmpty(before) && isEmpty(value);
    // The API server sets a declared empty map that lost its content to null, and removes such a
    // list.
    if (isEmptied && defaults === "filled in") {
      return [[name, isList(value) ? undefined : null]];
    }
    if (isAtomic && isObject(value) && isObject(before)) {
      return [[name, isUnchanged(before, value, below) ? before : value]];
    }
    return [[name, mergeValue(before, value, below)]];
  });
  const all = Object.entries({ ...live, ...Object.fromEntries(merged) });
  return Object.fromEntries(
    all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Replaces the items of an atomic list. The API server fills in defaults of these items too. */
function replaceItems(
  live: readonly Json[],
  desired: readonly Json[],
  { defaults, previous }: Pick<MergePlace, "defaults" | "previous">,
): readonly Json[] {
  const isSameLength = live.length === desired.length;
  return desired.map((item, index) => {
    const before = live[index];
    if (before === undefined) return item;
    const place = { defaults, previous: isList(previous) ? previous[index] : undefined };
    if (isUnchanged(before, item, place)) return before;
    const isSameItem = isSameLength && !namesDiffer(before, item);
    return defaults === "kept" && isSameItem ? withLiveDefaults(before, item) : item;
  });
}

function isUnchanged(
  before: Json,
  declared: Json,
  { defaults, previous }: Pick<MergePlace, "defaults" | "previous">,
): boolean {
  if (defaults === "filled in") return sameJson(before, declared);
  return addsOnlyDefaults(before, declared, previous);
}

/** Reports whether all fields of a live value are declared or defaults of the API server. */
function addsOnlyDefaults(live: Json, declared: Json, previous: Json | undefined): boolean {
  return containsAll(live, declared) && !dropsFields(previous, declared);
}

/** Reports whether a manifest lacks a field that the previous one declares. */
function dropsFields(previous: Json | undefined, declared: Json): boolean {
  if (isObject(previous) && isObject(declared)) {
    return Object.entries(previous).some(([name, value]) => {
      const now = fieldOf(declared, name);
      return now === undefined || dropsFields(value, now);
    });
  }
  if (isList(previous) && isList(declared)) {
    return declared.some((item, index) => dropsFields(previous[index], item));
  }
  return false;
}

function namesDiffer(before: Json, item: Json): boolean {
  return isObject(before) && isObject(item) && before.name !== item.name;
}

function withLiveDefaults(before: Json | undefined, declared: Json): Json {
  if (isObject(before) && isObject(declared)) {
    const fields = Object.entries(declared).map(
      ([name, value]) => [name, withLiveDefaults(fieldOf(before, name), value)] as const,
    );
    return { ...before, ...Object.fromEntries(fields) };
  }
  if (isList(before) && isList(declared))
    return replaceItems(before, declared, { defaults: "kept", previous: undefined });
  return declared;
}

function mergeItems(
  live: readonly Json[],
  desired: readonly Json[],
  place: MergePlace,
): readonly Json[] {
  const keys = childKeys(place.known);
  const names = keyNames(keys, place.schema);
  const places = live.map((item) => findDeclaredIndex(item, desired, names, place.schema));
  const findKey = keyFinder(keys);
  const mergeItem = (item: Json | undefined, declared: Json | undefined): Json => {
    if (item === undefined || declared === undefined) return item ?? declared ?? null;
    return mergeValue(item, declared, childPlace(place, findKey(item)));
  };
  return orderItems(places, desired.length).map(({ before, declared }) =>
    mergeItem(live[before], desired[declared]),
  );
}

function keyNames(keys: readonly string[], schema: JsonObject | undefined): readonly string[] {
  if (schema !== undefined) return itemKeys(schema).toSorted();
  return Object.keys(keyFields(keys.find((key) => key.startsWith("k:")) ?? ""));
}

/** The index of an item in the live list and in the declared list; -1 if it isn't in the list. */
interface MergedItem {
  readonly before: number;
  readonly declared: number;
}

/**
 * Orders the merged items as the API server does (structured-merge-diff, visitListItems).
 * Declared items keep their declared order. Other items stay in front of the item that they
 * preceded.
 * `places` contains the declared index of each live item.
 */
function orderItems(places: readonly number[], declaredCount: number): readonly MergedItem[] {
  const firstPlaces = new Map(places.map((place, index) => [place, index] as const).toReversed());
  const shared = firstPlaces
    .keys()
    .filter((place) => place >= 0)
    .toArray()
    .toSorted((a, b) => a - b)
    .values();
  const merged: MergedItem[] = [];
  const isMerged = (place: number) => place < declared;
  let next = shared.next().value;
  let before = 0;
  let declared = 0;
  while (before < places.length || declared < declaredCount) {
    const place = places[before] ?? -1;
    const isLive = before < places.length;
    if (isLive && place < 0) {
      merged.push({ before, declared: -1 });
      before++;
    } else if (isLive && place === declared) {
      merged.push({ before, declared });
      before++;
      declared++;
      next = shared.next().value;
    } else if (isLive && declared < declaredCount && next !== undefined && next !== place) {
      before++;
    } else {
      if (isLive && isMerged(place)) before++;
      if (declared === declaredCount) continue;
      merged.push({ before: firstPlaces.get(declared) ?? -1, declared });
      if (next === declared) next = shared.next().value;
      declared++;
    }
  }
  return merged;
}

function findDeclaredIndex(
  item: Json,
  desired: readonly Json[],
  names: readonly string[],
  schema: JsonObject | undefined,
): number {
  if (names.length === 0 || !isObject(item)) {
    return itemIndexes(`v:${JSON.stringify(item)}`, desired)[0] ?? -1;
  }
  const byDefault = (name: string) => at(schema, "items", "properties", name, "default") ?? null;
  const key = Object.fromEntries(
    names.map((name) => [name, fieldOf(item, name) ?? byDefault(name)]),
  );
  return declaredIndex(`k:${JSON.stringify(key)}`, desired);
}

/** Returns a live field; null stands for a map that lost its whole content. */
function liveField(live: JsonObject, name: string, desired: Json): Json | undefined {
  const found = fieldOf(live, name);
  return found === null && isObject(desired) ? {} : found;
}

/** Reports whether the live value already contains all declared fields; others are defaults. */
function containsAll(live: Json, desired: Json): boolean {
  if (isObject(live) && isObject(desired)) {
    return Object.entries(desired).every(([name, value]) => {
      const before = liveField(live, name, value);
      return before !== undefined && containsAll(before, value);
    });
  }
  if (isList(live) && isList(desired)) {
    return (
      live.length === desired.length &&
      live.every((item, i) => containsAll(item, desired[i] ?? null))
    );
  }
  return sameJson(live, desired);
}
