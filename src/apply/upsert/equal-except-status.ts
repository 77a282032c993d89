import { isObject, type Json, numberAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";

/**
 * Reports whether at most the status of an object has changed.
 * A controller that reports progress must not stop a deployment. Any other change needs a new plan.
 */
export function equalExceptStatus(current: KubeObject, previous: KubeObject): boolean {
  if (uidOf(current) !== uidOf(previous)) return false;
  const generation = numberAt(current, "metadata", "generation");
  // For most kinds, the API server counts changes of the spec. Metadata is always compared.
  const same =
    generation !== undefined && generation === numberAt(previous, "metadata", "generation");
  return same
    ? canonical(comparableParts(current).metadata) === canonical(comparableParts(previous).metadata)
    : canonical(comparableParts(current)) === canonical(comparableParts(previous));
}

function comparableParts(object: KubeObject): KubeObject {
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
