import { isObject, type Json, numberAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";

/**
 * Whether nothing but the status of an object has changed: a controller that reports progress must not stop a
 * deployment, anything more is for a new plan to decide.
 */
export function equalExceptStatus(now: KubeObject, then: KubeObject): boolean {
  if (uidOf(now) !== uidOf(then)) return false;
  const generation = numberAt(now, "metadata", "generation");
  // The API server counts changes of the spec for most kinds; metadata is compared either way.
  const same = generation !== undefined && generation === numberAt(then, "metadata", "generation");
  return same
    ? canonical(meaningful(now).metadata) === canonical(meaningful(then).metadata)
    : canonical(meaningful(now)) === canonical(meaningful(then));
}

function meaningful(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = object.metadata;
  return { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata };
}

/** JSON with sorted keys: equal values give equal text. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
