import {
  fieldOf,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan/plan.ts";
import { childKeys } from "../../ssa/field-sets.ts";
import { itemIndexes, keyFinder } from "../../ssa/list-items.ts";
import { findApplyEntry } from "../../ssa/managed-fields.ts";
import { hasFieldManager } from "../../ssa/steps/transfer-ownership.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

/**
 * Reports whether an object stays the same.
 * Taking fields from a manager changes the owners, even if all values stay.
 */
export function remainsUnchanged(
  { stage }: DesiredObject,
  live: KubeObject | undefined,
  predicted: KubeObject,
  { rules: { deployment, policy } }: PlanInput,
): boolean {
  if (live === undefined || hasFieldManager(live, policy.conflicts.takeover)) return false;
  return isSameObject(live, predicted, fieldManager(deployment, stage));
}

/**
 * Reports whether the fields that qvs applied prove that the object stays the same, without a dry
 * run.
 */
export function isProvenUnchanged(
  deployment: string,
  { object, provable = object, stage }: DesiredObject,
  live: KubeObject,
  takeover: readonly string[] = [],
): boolean {
  if (hasFieldManager(live, takeover)) return false;
  return compareWithLive(provable, live, fieldManager(deployment, stage)) === "unchanged";
}

/**
 * Reports whether only values that the API server counts differ, and this deployment owns the same
 * fields.
 */
function isSameObject(live: KubeObject, predicted: KubeObject, manager: string): boolean {
  return (
    sameJson(withoutServerCounters(live), withoutServerCounters(predicted)) &&
    sameJson(findApplyEntry(live, manager)?.fields, findApplyEntry(predicted, manager)?.fields) &&
    textAt(live, "apiVersion") === textAt(predicted, "apiVersion")
  );
}

function withoutServerCounters(object: KubeObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...own
  } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: own };
}

/**
 * The result of a comparison.
 * It is "unknown" if the API server might write a value in another form. Only a dry run can then
 * decide.
 */
export type LiveComparison = "unchanged" | "changed" | "unknown";

/**
 * Compares the live object with the result of applying `desired` as `manager`.
 * The object is unchanged only if the manager owns exactly the fields that qvs would send, with the
 * same values.
 */
export function compareWithLive(
  desired: KubeObject,
  live: KubeObject,
  manager: string,
): LiveComparison {
  const owned = findApplyEntry(live, manager);
  if (owned === undefined) return "changed";
  const versions = new Set([owned.apiVersion, live.apiVersion, desired.apiVersion]);
  if (versions.size > 1) return "unknown";
  return compareFields(withoutIdentity(desired), live, owned.fields);
}

/**
 * Removes the identity of the object, and metadata without other fields, which `managedFields`
 * never lists.
 */
function withoutIdentity(object: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const { name: _name, namespace: _namespace, ...ownMetadata } = metadata;
  return Object.keys(ownMetadata).length === 0 ? rest : { ...rest, metadata: ownMetadata };
}

function compareFields(
  desired: JsonObject,
  live: Json | undefined,
  owned: JsonObject,
): LiveComparison {
  if (!isObject(live)) return "unknown";
  const names = Object.keys(desired);
  const covered = childKeys(owned);
  if (covered.some((field) => !field.startsWith("f:"))) return "unknown";
  if (covered.some((field) => !Object.hasOwn(desired, field.slice(2)))) return "changed";
  return combineResults(names, (name) =>
    compareValue(fieldOf(desired, name), fieldOf(live, name), fieldOf(owned, `f:${name}`)),
  );
}

function compareValue(
  desired: Json | undefined,
  live: Json | undefined,
  owned: Json | undefined,
): LiveComparison {
  if (!isObject(owned)) return "changed";
  const isWhole = childKeys(owned).length === 0;
  if (isObject(desired) && !isWhole) return compareFields(desired, live, owned);
  if (isList(desired) && !isWhole) return compareItems(desired, live, owned);
  if (sameJson(desired, live)) return "unchanged";
  // Removing a field removes it for all its owners. If qvs still owns an empty field that isn't
  // live, the API server didn't store it.
  if (live === undefined && isEmpty(desired)) return "unchanged";
  return canBeRewritten(desired, live) ? "unknown" : "changed";
}

/** Compares list items in order: later environment variables can use earlier ones. */
function compareItems(
  desired: readonly Json[],
  live: Json | undefined,
  owned: JsonObject,
): LiveComparison {
  const keys = childKeys(owned);
  if (!isList(live)) return "unknown";
  if (keys.length !== desired.length) return "changed";
  const findKey = keyFinder(keys);
  let last = -1;
  return combineResults(desired, (item) => {
    const key = findKey(item);
    if (key === undefined) return "unknown";
    const [place = -1] = itemIndexes(key, live);
    if (place <= last) return "unknown";
    last = place;
    const within = fieldOf(owned, key);
    if (!isObject(item) || !isObject(within)) return "unchanged";
    return compareFields(item, live[place], within);
  });
}

/**
 * Reports whether the API server might store the value in another form.
 * It rewrites quantities, durations and ports, and adds defaults within atomic lists and maps.
 */
function canBeRewritten(desired: Json | undefined, live: Json | undefined): boolean {
  const isText = typeof desired === "string" && typeof live === "string";
  return !isText || (/^[-+.]?\d/.test(desired) && /^[-+.]?\d/.test(live));
}

function combineResults<T>(
  items: readonly T[],
  compare: (item: T) => LiveComparison,
): LiveComparison {
  const verdicts = items.map(compare);
  if (verdicts.includes("changed")) return "changed";
  return verdicts.includes("unknown") ? "unknown" : "unchanged";
}
