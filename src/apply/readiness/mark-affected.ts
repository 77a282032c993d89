import type { Change } from "../../model/plan.ts";
import type { Run } from "../run.ts";

/**
 * Notes, and tells, whether this run changes the object or anything that it depends on, such as the Secret that its Pods
 * could not start without: what its status said before may not hold any more then. What it depends on was here before it.
 */
export function markAffected({ affected }: Run, { key, action, after }: Change): boolean {
  const isAffected = action !== "unchanged" || after.some(({ on }) => affected.has(on));
  if (isAffected) affected.add(key);
  return isAffected;
}
