import {
  fieldOf,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { childrenOf } from "../../ssa/field-sets.ts";
import { keyFinder, placesOf } from "../../ssa/list-items.ts";
import { appliedBy } from "../../ssa/managed-fields.ts";

/** "unknown" whenever the server might write a value differently than we do: then only a dry-run can tell. */
export type Comparison = "unchanged" | "changed" | "unknown";

/**
 * Whether applying `desired` as `manager` would leave `live` as it is. It is unchanged only if the manager owns exactly
 * the fields that would be sent and every one of them has the value that would be sent.
 */
export function compareWithLive(
  desired: KubeObject,
  live: KubeObject,
  manager: string,
): Comparison {
  const owned = appliedBy(live, manager);
  if (owned === undefined) return "changed";
  const versions = new Set([owned.apiVersion, live.apiVersion, desired.apiVersion]);
  if (versions.size > 1) return "unknown";
  return compareFields(withoutIdentity(desired), live, owned.fields);
}

/** managedFields never lists what identifies the object, nor metadata that holds nothing else. */
function withoutIdentity(object: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const { name: _name, namespace: _namespace, ...ownMetadata } = metadata;
  return Object.keys(ownMetadata).length === 0 ? rest : { ...rest, metadata: ownMetadata };
}

function compareFields(desired: JsonObject, live: Json | undefined, owned: JsonObject): Comparison {
  if (!isObject(live)) return "unknown";
  const names = Object.keys(desired);
  const covered = childrenOf(owned);
  if (covered.some((field) => !field.startsWith("f:"))) return "unknown";
  if (covered.some((field) => !Object.hasOwn(desired, field.slice(2)))) return "changed";
  return all(names, (name) =>
    compareValue(fieldOf(desired, name), fieldOf(live, name), fieldOf(owned, `f:${name}`)),
  );
}

function compareValue(
  desired: Json | undefined,
  live: Json | undefined,
  owned: Json | undefined,
): Comparison {
  if (!isObject(owned)) return "changed";
  const wholly = childrenOf(owned).length === 0;
  if (isObject(desired) && !wholly) return compareFields(desired, live, owned);
  if (isList(desired) && !wholly) return compareItems(desired, live, owned);
  if (sameJson(desired, live)) return "unchanged";
  // Whoever removes a field takes it from all of its owners: what is still ours, and not there, the server has not kept.
  if (live === undefined && isEmpty(desired)) return "unchanged";
  return mayBeRewritten(desired, live) ? "unknown" : "changed";
}

/** The order of the items counts: later environment variables may use earlier ones. */
function compareItems(
  desired: readonly Json[],
  live: Json | undefined,
  owned: JsonObject,
): Comparison {
  const keys = childrenOf(owned);
  if (!isList(live)) return "unknown";
  if (keys.length !== desired.length) return "changed";
  const keyOf = keyFinder(keys);
  let last = -1;
  return all(desired, (item) => {
    const key = keyOf(item);
    if (key === undefined) return "unknown";
    const [place = -1] = placesOf(key, live);
    if (place <= last) return "unknown";
    last = place;
    const within = fieldOf(owned, key);
    if (!isObject(item) || !isObject(within)) return "unchanged";
    return compareFields(item, live[place], within);
  });
}

/** Quantities, durations and ports may come back in another form, atomic lists and maps with defaults inside. */
function mayBeRewritten(desired: Json | undefined, live: Json | undefined): boolean {
  const isText = typeof desired === "string" && typeof live === "string";
  return !isText || (/^[-+.]?\d/.test(desired) && /^[-+.]?\d/.test(live));
}

function all<T>(items: readonly T[], compare: (item: T) => Comparison): Comparison {
  const verdicts = items.map(compare);
  if (verdicts.includes("changed")) return "changed";
  return verdicts.includes("unknown") ? "unknown" : "unchanged";
}
