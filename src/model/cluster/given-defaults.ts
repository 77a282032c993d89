import { at, fieldOf, type Json, sameJson } from "../json.ts";
import type { KubeObject, ObjectId } from "../object.ts";
import { isDefaultClass } from "./default-classes.ts";

type Kind = Pick<ObjectId, "group" | "kind">;

/** The fields of each kind that the API server copies into a new Pod. */
const fieldsGiven: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "/LimitRange": [["spec", "limits"]],
  "/ServiceAccount": [["imagePullSecrets"], ["automountServiceAccountToken"]],
  "node.k8s.io/RuntimeClass": [["overhead"], ["scheduling"]],
  "scheduling.k8s.io/PriorityClass": [["globalDefault"], ["value"], ["preemptionPolicy"]],
};

/** The kinds from which the API server copies fields into a new Pod, as `group/Kind`. */
export const kindsGivingToPods: readonly string[] = Object.keys(fieldsGiven);

/**
 * Reports whether both states of an object give new objects the same defaults.
 * A state is undefined if the object doesn't exist.
 */
export function givesSameDefaults(
  id: Kind,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): boolean {
  return sameJson(given(id, before), given(id, after));
}

function given(id: Kind, object: KubeObject | undefined): Json {
  const fields = fieldOf(fieldsGiven, `${id.group}/${id.kind}`);
  if (fields === undefined) return object !== undefined && isDefaultClass(id, object);
  return fields.map((path) => at(object, ...path) ?? null);
}
