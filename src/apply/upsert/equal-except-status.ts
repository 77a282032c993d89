import { isObject, type Json, numberAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";

/**
 * Reports whether at most the status of an object has changed.
 * A controller that reports progress must not stop a deployment. Any other change needs a new plan.
 */
export function equalExceptStatus(now: KubeObject, then: KubeObject): boolean {
  if (uidOf(now) !== uidOf(then)) return false;
  const generation = numberAt(now, "metadata", "generation");
  // For most kinds, the API server counts changes of the spec. Metadata is always compared.
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

/** Returns JSON with sorted keys: equal values give equal strings. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
