import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import {
  excessesOf,
  isAboutLimits,
  isPodSecurity,
  refusingQuota,
  unspecified,
} from "../../model/cluster/api-words.ts";
import { quantityOf } from "../../model/cluster/quantity.ts";
import { at, type Json, listAt, sameJson, textAt } from "../../model/json.ts";
import { type KubeObject, keyOf, type ObjectId } from "../../model/object.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

/**
 * The declared objects by which the server may refuse another one that waits for them: a quota, LimitRanges, or a Namespace with the labels
 * of PodSecurity.
 */
export function groundsOf(
  failure: ApiFailure,
  { key, id }: DesiredObject,
  { objects, edges }: PlanInput["desired"],
): readonly DesiredObject[] {
  const isGround = groundIn(failure, id);
  const before = new Set(edges.get(key)?.map(({ on }) => on));
  return objects.filter((each) => before.has(each.key) && isGround(each));
}

function groundIn(
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

/** Whether the server may say otherwise once it has the ground as it will be. Of what is created together the quota is added up elsewhere. */
export function mayAllow(after: KubeObject, live: KubeObject, failure: ApiFailure): boolean {
  if (after.kind === "Namespace") return !sameJson(securityOf(after), securityOf(live));
  if (sameJson(at(after, "spec"), at(live, "spec"))) return false;
  if (after.kind === "LimitRange")
    return !sameJson(limitsOf(after, failure), limitsOf(live, failure));
  const asked = unspecified(failure).some((name) => at(after, "spec", "hard", name) !== undefined);
  return !asked && !isStillExceeded(after, failure);
}

/** What a LimitRange says of what the refusal is about. */
function limitsOf(range: KubeObject, { message }: ApiFailure): readonly Json[] {
  const [, subject] = /\bper (Pod|Container|PersistentVolumeClaim)\b/.exec(message) ?? [];
  return listAt(range, "spec", "limits").filter((limit) => textAt(limit, "type") === subject);
}

function securityOf(namespace: KubeObject) {
  const labels = at(namespace, "metadata", "labels");
  return ["enforce", "enforce-version"].map(
    (name) => textAt(labels, `pod-security.kubernetes.io/${name}`) ?? null,
  );
}

function isStillExceeded(quota: KubeObject, failure: ApiFailure): boolean {
  return excessesOf(failure).some(({ resource, requested, used }) => {
    const limit = quantityOf(at(quota, "spec", "hard", resource));
    const [more, now] = [quantityOf(requested), quantityOf(used)];
    return (
      limit !== undefined &&
      more !== undefined &&
      now !== undefined &&
      now + more > limit + tolerance
    );
  });
}

/** Sums of fractions are not exact. */
const tolerance = 1e-6;
