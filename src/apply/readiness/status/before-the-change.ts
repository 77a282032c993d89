import { type JsonObject, numberAt } from "../../../model/json.ts";
import { type Condition, condition } from "./conditions.ts";
import type { Facts } from "./status.ts";

/**
 * Reports whether a controller wrote a condition before the change.
 * Deployments and Rollouts past their deadline keep that condition at the new generation. It stays
 * until the first Pod of the change makes progress. Tried: one replica, an image that can't be
 * pulled, and back to the one before. A controller doesn't repeat a condition, so the condition
 * counts once a whole deadline has passed since the change.
 */
export function isFromBefore(object: JsonObject, found: Condition, facts: Facts): boolean {
  return isRepeated(found, facts, ["reason", "since"], deadlineMs(object));
}

/**
 * Reports whether these fields of a condition are the same as before the change.
 * The change must be less than `withinMs` old.
 */
export function isRepeated(
  found: Condition,
  { now, before }: Facts,
  fields: readonly (keyof Condition)[],
  withinMs: number,
): boolean {
  const known = before && condition(before.object, found.type);
  if (before === undefined || known === undefined) return false;
  const isSame = fields.every((field) => known[field] === found[field]);
  return isSame && now.getTime() - before.at.getTime() < withinMs;
}

/** Returns the deadline. The API server's default is also the default of Rollouts. */
function deadlineMs(object: JsonObject): number {
  return (numberAt(object, "spec", "progressDeadlineSeconds") ?? 600) * 1000;
}
