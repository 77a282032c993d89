import type { Change, Plan } from "../model/plan.ts";

/**
 * Whether this run changes the object or anything that it depends on, such as the Secret that its Pods could not start
 * without: what its status said before may not hold any more then.
 */
export function isAffected(plan: Plan, change: Change): boolean {
  const seen = new Set<string>();
  const byKey = new Map(plan.changes.map((one) => [one.key, one]));
  const reach = (one: Change | undefined): boolean => {
    if (one === undefined || seen.has(one.key)) return false;
    seen.add(one.key);
    return one.action !== "unchanged" || one.after.some((edge) => reach(byKey.get(edge.on)));
  };
  return reach(change);
}
