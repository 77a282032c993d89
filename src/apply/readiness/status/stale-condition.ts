import { findCondition, type StatusCondition } from "../../../health/conditions.ts";
import { type JsonObject, numberAt } from "../../../model/json.ts";
import type { StatusFacts } from "./conditions.ts";

/**
 * Reports whether a controller wrote a condition before the change.
 * Deployments and Rollouts past their deadline keep that condition at the new generation. It stays
 * until the first Pod of the change makes progress. Tried: one replica, an image that can't be
 * pulled, and back to the one before. A controller doesn't repeat a condition, so the condition
 * counts once a whole deadline has passed since the change.
 */
export function isStaleCondition(
  object: JsonObject,
  found: StatusCondition,
  facts: StatusFacts,
): boolean {
  return isUnchangedCondition(found, facts, ["reason", "since"], deadlineMs(object));
}

/**
 * Reports whether these fields of a condition are the same as before the change.
 * The change must be less than `withinMs` old.
 */
export function isUnchangedCondition(
  found: StatusCondition,
  { now, baseline }: StatusFacts,
  fields: readonly (keyof StatusCondition)[],
  withinMs: number,
): boolean {
  const known = baseline && findCondition(baseline.object, found.type);
  if (baseline === undefined || known === undefined) return false;
  const isSame = fields.every((field) => known[field] === found[field]);
  return isSame && now.getTime() - baseline.at.getTime() < withinMs;
}

/** Returns the deadline. The API server's default is also the default of Rollouts. */
function deadlineMs(object: JsonObject): number {
  return (numberAt(object, "spec", "progressDeadlineSeconds") ?? 600) * 1000;
}
