import type { ApiFailure } from "../model/cluster/api-failure.ts";
import {
  isLimitRangeDenial,
  isPodSecurityDenial,
  quotaExcesses,
  rejectingQuota,
  unsetQuotaResources,
} from "../model/cluster/api-messages/namespace-rules.ts";
import { parseQuantity } from "../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, sameJson, textAt } from "../model/json.ts";
import type { KubeObject, ObjectId } from "../model/object.ts";
import { withoutDefaults } from "./limit-range.ts";
import { unspecifiedIn } from "./required-resources.ts";
import { type PodToCome, refusalBy, type Subject, withDefaultsOf } from "./subject.ts";

/**
 * A Namespace, LimitRange or ResourceQuota that a deployment changes before the objects under it.
 */
export interface ChangedGround {
  /** The live object; undefined if this deployment creates it. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
}

export function isGround({ group, kind }: Pick<ObjectId, "group" | "kind">): boolean {
  return group === "" && ["Namespace", "LimitRange", "ResourceQuota"].includes(kind);
}

/**
 * Returns the change as a list with one entry.
 * Returns nothing for a live object without a prediction: other field managers can own fields of
 * it.
 */
export function groundsOf(
  before: KubeObject | undefined,
  declared: KubeObject,
  predicted: KubeObject | undefined,
): readonly ChangedGround[] {
  const after = predicted ?? (before === undefined ? declared : undefined);
  return after === undefined ? [] : [{ before, after }];
}

/**
 * Predicts how the API server rejects a new Pod or claim because of these changes.
 * Returns undefined if none of the changes causes a rejection.
 */
export function refusalToCome(
  grounds: readonly ChangedGround[],
  subject: Subject,
): string | undefined {
  const others = grounds.filter(
    ({ before, after }) => before === undefined || !sameJson(saidBy(before), saidBy(after)),
  );
  return refusalBy(
    others.map(({ after }) => after),
    subject.kind === "Pod" ? amid(grounds, subject) : subject,
  );
}

/** Returns the Pod's spec with the defaults that the changed LimitRanges will give it. */
export function withComingDefaults(grounds: readonly ChangedGround[], pod: PodToCome): JsonObject {
  return withDefaultsOf(
    grounds.map(({ after }) => after),
    amid(grounds, pod).spec,
  );
}

/**
 * Removes the defaults that the Pod has from the former LimitRanges.
 * In a new namespace there are no other LimitRanges, so the Pod has all its defaults.
 */
function amid(grounds: readonly ChangedGround[], pod: PodToCome): PodToCome {
  const isNew = grounds.some(
    ({ before, after }) => before === undefined && after.kind === "Namespace",
  );
  const spec = grounds.reduce(
    (left, { before }) =>
      before?.kind === "LimitRange" ? withoutDefaults(left, pod.declared, before) : left,
    pod.spec,
  );
  return { ...pod, spec, isWhole: pod.isWhole || isNew };
}

function saidBy(ground: KubeObject): Json {
  if (ground.kind !== "Namespace") return at(ground, "spec") ?? null;
  const labels = at(ground, "metadata", "labels");
  return ["enforce", "enforce-version"].map(
    (name) => textAt(labels, `pod-security.kubernetes.io/${name}`) ?? null,
  );
}

/**
 * Returns the changed object that ends a rejection or supplies the missing values.
 * Returns undefined if the rejection remains. `subject` is undefined for an object that is neither
 * a Pod nor a claim.
 */
export function liftedBy(
  failure: ApiFailure,
  grounds: readonly ChangedGround[],
  subject: Subject | undefined,
): KubeObject | undefined {
  if (rejectingQuota(failure) !== undefined) return quotaLiftedBy(failure, grounds, subject);
  if (isLimitRangeDenial(failure)) return noLongerRefusing("LimitRange", grounds, subject);
  return isPodSecurityDenial(failure) ? noLongerRefusing("Namespace", grounds, subject) : undefined;
}

/**
 * Returns the object of this kind that rejected the subject, if no object of the kind will reject
 * it.
 */
function noLongerRefusing(
  kind: "LimitRange" | "Namespace",
  grounds: readonly ChangedGround[],
  subject: Subject | undefined,
): KubeObject | undefined {
  if (subject === undefined) return undefined;
  const own = grounds.filter(({ after }) => after.kind === kind);
  const refusing = own.find(
    ({ before }) => before !== undefined && refusalBy([before], subject) !== undefined,
  );
  const after = own.map((ground) => ground.after);
  return refusalBy(after, subject) === undefined ? refusing?.after : undefined;
}

function quotaLiftedBy(
  failure: ApiFailure,
  grounds: readonly ChangedGround[],
  subject: Subject | undefined,
): KubeObject | undefined {
  const after = grounds.map((ground) => ground.after);
  const ranges = after.filter(({ kind }) => kind === "LimitRange");
  const quota = after.find(
    ({ kind, metadata }) =>
      kind === "ResourceQuota" && textAt(metadata, "name") === rejectingQuota(failure),
  );
  const missing = unsetQuotaResources(failure);
  if (missing.length === 0) {
    return quota === undefined || isStillExceeded(quota, failure) ? undefined : quota;
  }
  // The changed quota might no longer require these resources, or a LimitRange might supply them.
  const asked = missing.filter(
    (name) => quota === undefined || at(quota, "spec", "hard", name) !== undefined,
  );
  if (asked.length === 0) return quota;
  if (subject?.kind !== "Pod") return undefined;
  const isGiven = unspecifiedIn(withDefaultsOf(ranges, subject.spec), quotaOf(asked)) === undefined;
  return isGiven ? ranges[0] : undefined;
}

function quotaOf(names: readonly string[]): KubeObject {
  const hard: JsonObject = Object.fromEntries(names.map((name) => [name, "0"]));
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: {}, spec: { hard } };
}

/**
 * Reports whether the request alone exceeds the changed quota.
 * Another check adds up the objects that a deployment creates together.
 */
function isStillExceeded(quota: KubeObject, failure: ApiFailure): boolean {
  return quotaExcesses(failure).some(({ resource, requested, used }) => {
    const limit = parseQuantity(at(quota, "spec", "hard", resource));
    const [more, now] = [parseQuantity(requested), parseQuantity(used)];
    return (
      limit !== undefined &&
      more !== undefined &&
      now !== undefined &&
      now + more > limit + tolerance
    );
  });
}

/** The tolerance for sums of fractions, which aren't exact. */
const tolerance = 1e-6;
