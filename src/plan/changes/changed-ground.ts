import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { isAboutLimits, isPodSecurity, refusingQuota } from "../../model/cluster/api-words.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

/**
 * The declared object by which the server refuses another one, if that waits for it: a quota, a LimitRange, or a Namespace with the
 * labels of PodSecurity. Where this deployment changes it, nobody knows yet what the server says afterwards.
 */
export function groundOf(
  failure: ApiFailure,
  { key, id }: DesiredObject,
  { objects, edges }: PlanInput["desired"],
): DesiredObject | undefined {
  const isGround = groundsOf(failure, id);
  const before = new Set(edges.get(key)?.map(({ on }) => on));
  return objects.find((each) => before.has(each.key) && isGround(each));
}

function groundsOf(
  failure: ApiFailure,
  { namespace }: ObjectId,
): (object: DesiredObject) => boolean {
  const quota = refusingQuota(failure);
  if (quota !== undefined) {
    const key = keyOf({ group: "", kind: "ResourceQuota", namespace, name: quota });
    return (object) => object.key === key;
  }
  if (isAboutLimits(failure)) return ({ id }) => id.group === "" && id.kind === "LimitRange";
  if (isPodSecurity(failure)) return ({ id }) => id.group === "" && id.kind === "Namespace";
  return () => false;
}
