import { fieldsCopiedToPods } from "../governors.ts";
import { at, type Json, sameJson } from "../json.ts";
import type { GroupKind } from "../kinds.ts";
import type { KubeObject } from "../object.ts";
import { isDefaultClass } from "./default-classes.ts";

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
  const fields = fieldsCopiedToPods(id);
  if (fields === undefined) return object !== undefined && isDefaultClass(id, object);
  return fields.map((path) => at(object, ...path) ?? null);
}
