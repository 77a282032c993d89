import { type JsonObject, numberAt } from "../../../model/json.ts";
import { type Condition, condition } from "./conditions.ts";
import type { Facts } from "./status.ts";

/**
 * Whether a controller said this before the change. Deployments and Rollouts that have exceeded their deadline still
 * have that condition, at the new generation, until the first Pod of the change makes progress (tried: one replica, an
 * image that can't be pulled, and back to the one before). A controller does not repeat a condition, so it counts once
 * a whole deadline has passed since the change.
 */
export function isFromBefore(object: JsonObject, found: Condition, facts: Facts): boolean {
  return isRepeated(found, facts, ["reason", "since"], deadlineMs(object));
}

/** Whether a condition is in these fields what it was before the change, which was no longer ago than that. */
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

/** The API server's default where the spec leaves it open, which is that of Rollouts, too. */
function deadlineMs(object: JsonObject): number {
  return (numberAt(object, "spec", "progressDeadlineSeconds") ?? 600) * 1000;
}
