import { at, isList, type Json, type JsonObject, sameJson } from "../model/json.ts";
import { itemKeys } from "./limits.ts";
import { schemaOfField } from "./structural.ts";

/**
 * Whether what is judged at a path is as it was before, or part of something that is: since Kubernetes 1.30 the API server accepts of an
 * object that is changed what a definition no longer allows but nobody has touched (KEP-4008). Items are told apart only by their keys.
 */
export function staysAsItWas(
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
    const below = schemaOfField(schema, step) ?? {};
    return staysAsItWas(rest, at(now, step), at(before, step), below);
  }
  if (schema["x-kubernetes-list-type"] !== "map" || !isList(before)) return false;
  const inner = now[Number(step)];
  const keys = itemKeys(schema);
  const other = before.find((each) => keys.every((key) => at(each, key) === at(inner, key)));
  return staysAsItWas(rest, inner, other, (schema["items"] ?? {}) as JsonObject);
}
