import { at, isList, type Json, type JsonObject, sameJson } from "../model/json.ts";
import { itemKeys } from "./limits.ts";
import { fieldSchema } from "./structural.ts";

/**
 * Reports whether the value at a path, or a value that contains it, is unchanged.
 * Since Kubernetes 1.30, the API server accepts unchanged values that a definition no longer
 * allows, even if the object changes (KEP-4008). Only keys identify list items.
 */
export function isUnchanged(
  path: readonly string[],
  now: Json | undefined,
  before: Json | undefined,
  schema: JsonObject,
): boolean {
  if (now === undefined || before === undefined) return false;
  if (sameJson(now, before)) return true;
  const [step, ...rest] = path;
  if (step === undefined) return false;
  if (!isList(now)) {
    const below = fieldSchema(schema, step) ?? {};
    return isUnchanged(rest, at(now, step), at(before, step), below);
  }
  if (schema["x-kubernetes-list-type"] !== "map" || !isList(before)) return false;
  const inner = now[Number(step)];
  const keys = itemKeys(schema);
  const other = before.find((each) => keys.every((key) => at(each, key) === at(inner, key)));
  return isUnchanged(rest, inner, other, (schema["items"] ?? {}) as JsonObject);
}
