import type { PathStep } from "../model/fields/field-path.ts";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  withoutField,
} from "../model/json.ts";
import { type KubeObject, withMetadata } from "../model/object.ts";
import { fieldManager } from "../model/plan/plan.ts";
import type { Stage } from "../model/sources/compilation.ts";
import { childKeys, childValue, unionFieldSets } from "./field-sets.ts";
import { declaredIndex, keyFields, keyFinder } from "./list-items.ts";
import { fieldOwners, type OwnedFields } from "./managed-fields.ts";
import { planOwnershipTransfer, withoutLastApplied } from "./ownership-transfer.ts";

/** A field with its declared value, its live value and its owners (`fieldsV1` below this field). */
export interface FieldState {
  readonly desired: Json | undefined;
  readonly live: Json | undefined;
  readonly ours: JsonObject | undefined;
  readonly others: readonly JsonObject[];
}

/** The observations of `keepLiveValue` while it follows a path. */
export interface PathObservations {
  /** True if the path exists in the manifest or in the cluster. */
  matched: boolean;
  /** True if qvs sends a live value that differs from the declared one. */
  sendsLive: boolean;
  /** True if the path leads into an atomic value, so that qvs keeps the whole value. */
  atomic: boolean;
  /** True if qvs sends the declared value, because there is no live value. */
  absent: boolean;
}

export function noObservations(): PathObservations {
  return { matched: false, sendsLive: false, atomic: false, absent: false };
}

/**
 * Returns the live object and its owners after the next apply.
 * Fields of client-side tools count as fields of this deployment, because qvs takes ownership of
 * them first.
 * If qvs then left them out, no manager would own them, and the API server would remove them.
 */
export function existingState(
  live: KubeObject,
  deployment: string,
  stage: Stage,
  takeover: readonly string[] = [],
): Omit<FieldState, "desired"> {
  const manager = fieldManager(deployment, stage);
  const isOurs = (owner: OwnedFields) =>
    owner.manager === manager && owner.operation === "Apply" && owner.subresource === "";
  const owners = fieldOwners(live);
  const ours = owners.find(isOurs)?.fields;
  const transfer = planOwnershipTransfer(live, { deployment, stage, takeover });
  if (transfer !== undefined) {
    const { fields, others } = transfer;
    return { live: withoutLastApplied(live), ours: unionFieldSets([ours ?? {}, fields]), others };
  }
  const others = owners.filter((owner) => !isOurs(owner)).map(({ fields }) => fields);
  return { live, ours, others };
}

/**
 * Returns the live object for a recreation.
 * qvs can send all its live fields, because no other manager owns a field of the new object. If the
 * manifest declares no replicas, the number has no owner even after an autoscaler has set it.
 */
export function recreatedState(live: KubeObject): Omit<FieldState, "desired"> {
  const owned = fieldOwners(live).map(({ fields }) => fields);
  const hasReplicas = at(live, "spec", "replicas") !== undefined;
  const replicas = hasReplicas ? [{ "f:spec": { "f:replicas": {} } }] : [];
  const all = unionFieldSets([...owned, ...replicas]);
  return { live: withoutLastApplied(live), ours: all, others: [] };
}

/**
 * Returns the object with all fields under `paths` kept.
 * It writes its observations into `found`.
 */
export function preserveLiveFields(
  object: KubeObject,
  existing: Omit<FieldState, "desired">,
  paths: readonly (readonly PathStep[])[],
  found: PathObservations = noObservations(),
): KubeObject {
  const kept = paths.reduce<KubeObject>(
    (desired, steps) => keepLiveValue({ ...existing, desired }, steps, found) as KubeObject,
    object,
  );
  return withOwnMetadata(kept, object);
}

/**
 * Returns the value to send so that all fields under `steps` stay as they are:
 * - undefined if another manager owns the field, because the API server doesn't remove it then
 * - the live value if only this deployment owns it
 * - the declared value if there is no live value
 */
export function keepLiveValue(
  place: FieldState,
  steps: readonly PathStep[],
  found: PathObservations,
): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined || isAtomic(place)) {
    found.atomic ||= step !== undefined;
    found.matched ||= place.live !== undefined || place.desired !== undefined;
    found.absent ||= place.live === undefined && place.desired !== undefined;
    return place.live === undefined ? place.desired : ownedLiveValue(place, found);
  }
  return step.type === "field"
    ? keepField(place, step.name, rest, found)
    : keepItems(place, step, rest, found);
}

function keepField(
  place: FieldState,
  name: string,
  rest: readonly PathStep[],
  found: PathObservations,
): Json | undefined {
  const { live } = place;
  // Null over a map removes the fields that this deployment applied. qvs therefore sends the fields
  // that stay.
  const desired = place.desired ?? {};
  if (!isObject(desired) || (live !== undefined && !isObject(live))) return place.desired;
  const value = keepLiveValue(
    childState(place, `f:${name}`, at(desired, name), at(live, name)),
    rest,
    found,
  );
  if (value !== undefined) return { ...desired, [name]: value };
  if (!Object.hasOwn(desired, name)) return place.desired;
  const others = withoutField(desired, name);
  // If nothing else was in the map, qvs would send an empty map and own it.
  return Object.keys(others).length === 0 ? undefined : others;
}

/**
 * Keeps the live items of a list.
 * An index refers to the manifest. In the cluster, qvs finds the item by its key.
 */
function keepItems(
  place: FieldState,
  step: Exclude<PathStep, { readonly type: "field" }>,
  rest: readonly PathStep[],
  found: PathObservations,
): Json | undefined {
  const { desired, live } = place;
  if (!isList(desired)) return desired;
  const keys = [...new Set([place.ours ?? {}, ...place.others].flatMap(childKeys))];
  const keyByIndex = new Map(keys.toReversed().map((key) => [declaredIndex(key, desired), key]));
  return desired.flatMap((item, index) => {
    if (step.type === "index" && step.index !== index) return [item];
    const key = keyByIndex.get(index) ?? "";
    const existing = isList(live) ? childValue(live, key) : undefined;
    const value = keepLiveValue(childState(place, key, item, existing), rest, found);
    if (value === undefined && rest.length === 0) return [];
    return [
      isObject(item) ? { ...keyFields(key), ...(isObject(value) ? value : {}) } : (value ?? item),
    ];
  });
}

/**
 * Returns the live values of the fields that only this deployment owns.
 * Sending them again changes nothing.
 */
function ownedLiveValue(place: FieldState, found: PathObservations): Json | undefined {
  const { desired, live, ours, others } = place;
  if (ours === undefined) return undefined;
  const children = childKeys(ours);
  // The API server stores no empty map or list, but if a manager stops applying it, the server also
  // removes the object around it.
  if (live === undefined) return children.length === 0 && isEmpty(desired) ? desired : undefined;
  if (children.length === 0) {
    if (others.length > 0) return undefined;
    found.sendsLive ||= !sameJson(desired, live);
    return live;
  }
  return isList(live)
    ? ownedLiveItems(place, live, children, found)
    : ownedLiveFields(place, live, children, found);
}

function isEmpty(value: Json | undefined): boolean {
  if (isList(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function ownedLiveFields(
  place: FieldState,
  live: Json,
  children: readonly string[],
  found: PathObservations,
): Json | undefined {
  if (!isObject(live)) return undefined;
  const desired = isObject(place.desired) ? place.desired : {};
  const shares = children.flatMap((child) => {
    const name = child.slice(2);
    const share = ownedLiveValue(
      childState(place, child, fieldOf(desired, name), fieldOf(live, name)),
      found,
    );
    return share === undefined ? [] : [[name, share] as const];
  });
  return shares.length === 0 ? undefined : Object.fromEntries(shares);
}

function ownedLiveItems(
  place: FieldState,
  live: readonly Json[],
  children: readonly string[],
  found: PathObservations,
): Json | undefined {
  const desired = isList(place.desired) ? place.desired : [];
  const findKey = keyFinder(children);
  const shares = live.flatMap((item) => {
    const key = findKey(item);
    if (key === undefined) return [];
    const declared = desired[declaredIndex(key, desired)];
    const share = ownedLiveValue(childState(place, key, declared, item), found);
    if (!isObject(item)) return share === undefined ? [] : [share];
    return isObject(share) ? [{ ...keyFields(key), ...share }] : [];
  });
  return shares.length === 0 ? undefined : shares;
}

function childState(
  { ours, others }: FieldState,
  key: string,
  desired: Json | undefined,
  live: Json | undefined,
): FieldState {
  const below = (fields: JsonObject): readonly JsonObject[] => {
    const child = fieldOf(fields, key);
    return isObject(child) ? [child] : [];
  };
  return { desired, live, ours: below(ours ?? {})[0], others: others.flatMap(below) };
}

/**
 * Reports whether managers own a whole map or list without any of its parts.
 * The API server merges nothing inside such a value.
 */
function isAtomic({ live, ours, others }: FieldState): boolean {
  const owners = ours === undefined ? others : [ours, ...others];
  const holds = isList(live) ? live.length > 0 : isObject(live) && Object.keys(live).length > 0;
  return holds && owners.length > 0 && owners.every((fields) => childKeys(fields).length === 0);
}

/**
 * Returns `object` with qvs's own labels and annotations from `declared`.
 * qvs needs them to find and protect the object later. It sends them even if all labels or
 * annotations are ignored.
 */
export function withOwnMetadata(object: KubeObject, declared: KubeObject): KubeObject {
  const maps = ["labels", "annotations"].flatMap((field) => {
    const all = fieldOf(declared.metadata, field);
    const own = Object.entries(isObject(all) ? all : {}).filter(([name]) => isOwnKey(name));
    const kept = fieldOf(object.metadata, field);
    const map = { ...(isObject(kept) ? kept : {}), ...Object.fromEntries(own) };
    return own.length === 0 ? [] : [[field, map] as const];
  });
  return withMetadata(object, Object.fromEntries(maps));
}

function isOwnKey(name: string): boolean {
  return name.startsWith("vs.axis-dev.io/");
}
