import { fieldOf, isObject, type Json } from "../json.ts";
import type { KubeObject } from "../object.ts";

/**
 * The fields of `spec` that are changed although their kind lets nobody change them, e.g. `spec.volumeClaimTemplates` of a StatefulSet. The
 * API server says only which others may be changed. Empty where its message is another one.
 */
export function changedImmutableFields(
  message: string,
  desired: KubeObject,
  live: KubeObject,
): readonly string[] {
  const changeable = changeableFields(message);
  if (changeable === undefined || !isObject(desired.spec)) return [];
  const before = isObject(live.spec) ? live.spec : {};
  return Object.entries(desired.spec)
    .filter(([name, value]) => !changeable.has(name) && !isWithin(value, fieldOf(before, name)))
    .map(([name]) => `spec.${name}`);
}

/** As `ValidateStatefulSetUpdate`, `ValidatePersistentVolumeClaimUpdate` and `ValidatePodUpdate` put it: how it begins, and a field in it. */
const refusals: readonly (readonly [says: RegExp, field: RegExp])[] = [
  [/^Forbidden: updates to \w+ spec for fields other than (.*) are forbidden$/, /'(\w+)'/g],
  [/^Forbidden: spec is immutable after creation except (.*) for bound claims/, /\b(\w+)/g],
  [/^Forbidden: pod updates may not change fields other than (.*)/, /`spec\.(\w+)/g],
];

function changeableFields(message: string): ReadonlySet<string> | undefined {
  for (const [says, field] of refusals) {
    const [, list] = says.exec(message) ?? [];
    if (list !== undefined) return new Set([...list.matchAll(field)].map(([, name = ""]) => name));
  }
  return undefined;
}

/** Whether all that is declared is live; what the server has added counts for nothing. */
export function isWithin(declared: Json, live: Json | undefined): boolean {
  if (isObject(declared)) {
    return (
      isObject(live) &&
      Object.entries(declared).every(([name, value]) => isWithin(value, fieldOf(live, name)))
    );
  }
  if (!Array.isArray(declared)) return declared === live;
  return (
    Array.isArray(live) &&
    live.length === declared.length &&
    declared.every((item, index) => isWithin(item, live[index]))
  );
}
