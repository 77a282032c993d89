import type { FieldOwner } from "../model/deployments/deployment-state.ts";
import { type FieldStep, valueAtPath } from "../model/fields/field-differences.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { childKeys } from "./field-sets.ts";
import { itemIndexes } from "./list-items.ts";
import { fieldOwners } from "./managed-fields.ts";

/**
 * Returns the field managers of a live field, by `metadata.managedFields`, the last writer first.
 * A manager that owns a parent as a whole owns the field. For a field with subfields, the managers
 * of any of them count.
 */
export function ownersOfField(
  object: KubeObject,
  path: readonly FieldStep[],
): readonly FieldOwner[] {
  const owners = fieldOwners(object).filter(({ fields }) => ownsField(fields, object, path));
  return owners
    .map(({ manager, operation, subresource, time }) => ({ manager, operation, subresource, time }))
    .toSorted((a, b) => (a.time < b.time ? 1 : -1));
}

function ownsField(set: JsonObject, value: Json, path: readonly FieldStep[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  const part = valueAtPath(value, [step]);
  if (part === undefined) return false;
  return childKeys(set).some((child) => {
    if (!namesStep(child, value, step)) return false;
    const below = fieldOf(set, child);
    const isWhole = !isObject(below) || Object.keys(below).length === 0;
    return isWhole || ownsField(below, part, rest);
  });
}

function namesStep(child: string, value: Json, step: FieldStep): boolean {
  if (!isList(value)) return child === `f:${String(step)}`;
  const item = valueAtPath(value, [step]);
  return itemIndexes(child, value).some((index) => value[index] === item);
}
