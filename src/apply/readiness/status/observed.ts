import { at, type JsonObject, numberAt } from "../../../model/json.ts";

/**
 * Whether the controller has seen the newest spec. Argo Rollouts writes its observedGeneration as a string.
 * `undefined` when the object does not say, which most kinds without a controller never do.
 */
export function isObserved(object: JsonObject): boolean | undefined {
  const generation = numberAt(object, "metadata", "generation");
  const observed = at(object, "status", "observedGeneration");
  if (generation === undefined || observed === undefined || observed === null) return undefined;
  const number = Number(observed);
  return Number.isNaN(number) ? undefined : number >= generation;
}
