import { fieldOf, isObject, type Json } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";

/**
 * The fields of `spec` that are changed although a StatefulSet lets nobody change them, e.g. `spec.volumeClaimTemplates`. The API server
 * says only which others may be changed (`ValidateStatefulSetUpdate`). Empty where its message is another one.
 */
export function changedImmutableFields(
  message: string,
  desired: KubeObject,
  live: KubeObject,
): readonly string[] {
  const [, list] =
    /^Forbidden: updates to \w+ spec for fields other than (.*) are forbidden$/.exec(message) ?? [];
  if (list === undefined || !isObject(desired.spec)) return [];
  const changeable = new Set([...list.matchAll(/'(\w+)'/g)].map(([, name]) => name));
  const before = isObject(live.spec) ? live.spec : {};
  return Object.entries(desired.spec)
    .filter(([name, value]) => !changeable.has(name) && !isWithin(value, fieldOf(before, name)))
    .map(([name]) => `spec.${name}`);
}

/** Whether all that is declared is live; what the server has added counts for nothing. */
function isWithin(declared: Json, live: Json | undefined): boolean {
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
