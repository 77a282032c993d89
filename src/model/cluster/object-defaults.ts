import { at, fieldOf, type Json, sameJson } from "../json.ts";
import { type GroupKind, kindKey } from "../kinds.ts";
import type { KubeObject } from "../object.ts";
import { isDefaultClass } from "./default-classes.ts";

/** The fields of each kind that the API server copies into a new Pod. */
const podDefaultFields: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "/LimitRange": [["spec", "limits"]],
  "/ServiceAccount": [["imagePullSecrets"], ["automountServiceAccountToken"]],
  "node.k8s.io/RuntimeClass": [["overhead"], ["scheduling"]],
  "scheduling.k8s.io/PriorityClass": [["globalDefault"], ["value"], ["preemptionPolicy"]],
};

/** The kinds from which the API server copies fields into a new Pod, as `group/Kind`. */
export const podDefaultKinds: readonly string[] = Object.keys(podDefaultFields);

/**
 * Reports whether both states of an object give new objects the same defaults.
 * A state is undefined if the object doesn't exist.
 */
export function hasSameDefaults(
  id: GroupKind,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): boolean {
  return sameJson(defaultValues(id, before), defaultValues(id, after));
}

function defaultValues(id: GroupKind, object: KubeObject | undefined): Json {
  const fields = fieldOf(podDefaultFields, kindKey(id));
  if (fields === undefined) return object !== undefined && isDefaultClass(id, object);
  return fields.map((path) => at(object, ...path) ?? null);
}
