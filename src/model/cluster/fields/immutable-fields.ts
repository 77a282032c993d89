import { fieldOf, isObject, type Json, type JsonObject } from "../../json.ts";
import type { KubeObject } from "../../object.ts";
import { parseQuantity } from "../quantity.ts";

/**
 * Returns the changed fields of `spec` that are immutable, e.g. `spec.volumeClaimTemplates` of a
 * StatefulSet.
 * The API server lists only the mutable fields. Returns an empty list for any other message.
 */
export function changedImmutableFields(
  message: string,
  desired: KubeObject,
  live: KubeObject,
): readonly string[] {
  const mutable = mutableFields(message);
  if (mutable === undefined || !isObject(desired.spec)) return [];
  const before = isObject(live.spec) ? live.spec : {};
  return Object.entries(desired.spec)
    .filter(([name, value]) => !mutable.has(name) && !isSubset(value, fieldOf(before, name)))
    .map(([name]) => `spec.${name}`);
}

/**
 * The messages of `ValidateStatefulSetUpdate`, `ValidatePersistentVolumeClaimUpdate` and
 * `ValidatePodUpdate`.
 * Each has a pattern for the message and one for a mutable field in it.
 */
const immutableMessages: readonly (readonly [says: RegExp, field: RegExp])[] = [
  [/^Forbidden: updates to \w+ spec for fields other than (.*) are forbidden$/, /'(\w+)'/g],
  [/^Forbidden: spec is immutable after creation except (.*) for bound claims/, /\b(\w+)/g],
  [/^Forbidden: pod updates may not change fields other than (.*)/, /`spec\.(\w+)/g],
];

function mutableFields(message: string): ReadonlySet<string> | undefined {
  for (const [says, field] of immutableMessages) {
    const [, list] = says.exec(message) ?? [];
    if (list !== undefined) return new Set([...list.matchAll(field)].map(([, name = ""]) => name));
  }
  return undefined;
}

/** The fields whose values are quantities. The API server stores `1024Mi` as `1Gi`. */
const quantityMaps: ReadonlySet<string> = new Set(["requests", "limits"]);

/**
 * Reports whether the live value contains everything that is declared. Fields that only the live
 * value has are ignored.
 */
export function isSubset(declared: Json, live: Json | undefined): boolean {
  if (isObject(declared)) {
    return (
      isObject(live) &&
      Object.entries(declared).every(([name, value]) => {
        const present = fieldOf(live, name);
        if (present === undefined && isStoredAsNothing(name, value)) return true;
        return quantityMaps.has(name) && isObject(value)
          ? hasQuantities(value, present)
          : isSubset(value, present);
      })
    );
  }
  if (!Array.isArray(declared)) return declared === live;
  return (
    Array.isArray(live) &&
    live.length === declared.length &&
    declared.every((item, index) => isSubset(item, live[index]))
  );
}

/** Maps of which the API server doesn't store an empty one. Of other maps, `{}` has a meaning. */
const omittedMaps: ReadonlySet<string> = new Set([
  ...["annotations", "labels", "limits", "matchLabels", "nodeSelector", "requests"],
]);

/** Reports whether the API server stores an empty list or map as if it weren't declared. */
function isStoredAsNothing(name: string, declared: Json): boolean {
  if (Array.isArray(declared)) return declared.length === 0;
  return omittedMaps.has(name) && isObject(declared) && Object.keys(declared).length === 0;
}

function hasQuantities(declared: JsonObject, live: Json | undefined): boolean {
  return Object.entries(declared).every(([name, value]) => {
    const present = isObject(live) ? fieldOf(live, name) : undefined;
    const amount = parseQuantity(value);
    const isEqual = amount !== undefined && amount === parseQuantity(present);
    return isEqual || isSubset(value, present);
  });
}
