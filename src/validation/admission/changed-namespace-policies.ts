import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import {
  isLimitRangeDenial,
  isPodSecurityDenial,
  quotaExcesses,
  rejectingQuota,
  unsetQuotaResources,
} from "../../model/cluster/api/messages/denials.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, sameJson, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import {
  type AdmissionSubject,
  type NewPod,
  rejectionMessage,
  withLimitRangeDefaults,
} from "./admission-subject.ts";
import { withoutDefaults } from "./limit-range.ts";
import { withFilledResources, withoutFilledResources } from "./pod-level-resources.ts";
import { missingResourcesViolation } from "./quotas.ts";

/**
 * A Namespace, LimitRange or ResourceQuota that a deployment changes before the objects under it.
 */
export interface NamespacePolicyChange {
  /** The live object; undefined if this deployment creates it. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
}

/**
 * Returns the change as a list with one entry.
 * Returns nothing for a live object without a prediction: other field managers can own fields of
 * it.
 */
export function namespacePolicyChanges(
  before: KubeObject | undefined,
  declared: KubeObject,
  predicted: KubeObject | undefined,
): readonly NamespacePolicyChange[] {
  const after = predicted ?? (before === undefined ? declared : undefined);
  return after === undefined ? [] : [{ before, after }];
}

/**
 * Predicts how the API server rejects a new Pod or claim because of these changes.
 * Returns undefined if none of the changes causes a rejection.
 */
export function predictedRejection(
  policyChanges: readonly NamespacePolicyChange[],
  subject: AdmissionSubject,
): string | undefined {
  const effective = policyChanges.filter(
    ({ before, after }) =>
      before === undefined || !sameJson(policyContent(before), policyContent(after)),
  );
  return rejectionMessage(
    effective.map(({ after }) => after),
    subject.kind === "Pod" ? withoutStaleDefaults(policyChanges, subject) : subject,
  );
}

/** Returns the Pod's spec with the defaults that the changed LimitRanges will give it. */
export function withPredictedDefaults(
  policyChanges: readonly NamespacePolicyChange[],
  pod: NewPod,
): JsonObject {
  const ranges = policyChanges.map(({ after }) => after);
  return withFilledResources(
    withoutStaleDefaults(policyChanges, pod).spec,
    (spec) => withLimitRangeDefaults(ranges, spec),
    pod.server,
  );
}

/**
 * Removes the defaults that the Pod has from the former LimitRanges.
 * In a new namespace there are no other LimitRanges, so the Pod has all its defaults.
 */
function withoutStaleDefaults(
  policyChanges: readonly NamespacePolicyChange[],
  pod: NewPod,
): NewPod {
  const isNew = policyChanges.some(
    ({ before, after }) => before === undefined && after.kind === "Namespace",
  );
  const spec = policyChanges.reduce(
    (left, { before }) =>
      before?.kind === "LimitRange"
        ? withoutFilledResources(
            withoutDefaults(left, pod.declared, before),
            pod.declared,
            pod.server,
          )
        : left,
    pod.spec,
  );
  return { ...pod, spec, hasAllDefaults: pod.hasAllDefaults || isNew };
}

function policyContent(policy: KubeObject): Json {
  if (policy.kind !== "Namespace") return at(policy, "spec") ?? null;
  const labels = at(policy, "metadata", "labels");
  return ["enforce", "enforce-version"].map(
    (name) => textAt(labels, `pod-security.kubernetes.io/${name}`) ?? null,
  );
}

/**
 * Returns the changed object that ends a rejection or supplies the missing values.
 * Returns undefined if the rejection remains. `subject` is undefined for an object that is neither
 * a Pod nor a claim.
 */
export function liftingPolicy(
  failure: ApiFailure,
  policyChanges: readonly NamespacePolicyChange[],
  subject: AdmissionSubject | undefined,
): KubeObject | undefined {
  if (rejectingQuota(failure) !== undefined)
    return liftingPolicyForQuota(failure, policyChanges, subject);
  if (isLimitRangeDenial(failure)) return relaxedPolicy("LimitRange", policyChanges, subject);
  return isPodSecurityDenial(failure)
    ? relaxedPolicy("Namespace", policyChanges, subject)
    : undefined;
}

/**
 * Returns the object of this kind that rejected the subject, if no object of the kind will reject
 * it.
 */
function relaxedPolicy(
  kind: "LimitRange" | "Namespace",
  policyChanges: readonly NamespacePolicyChange[],
  subject: AdmissionSubject | undefined,
): KubeObject | undefined {
  if (subject === undefined) return undefined;
  const own = policyChanges.filter(({ after }) => after.kind === kind);
  const rejecting = own.find(
    ({ before }) => before !== undefined && rejectionMessage([before], subject) !== undefined,
  );
  const after = own.map((change) => change.after);
  return rejectionMessage(after, subject) === undefined ? rejecting?.after : undefined;
}

function liftingPolicyForQuota(
  failure: ApiFailure,
  policyChanges: readonly NamespacePolicyChange[],
  subject: AdmissionSubject | undefined,
): KubeObject | undefined {
  const after = policyChanges.map((change) => change.after);
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
  const stillRequired = missing.filter(
    (name) => quota === undefined || at(quota, "spec", "hard", name) !== undefined,
  );
  if (stillRequired.length === 0) return quota;
  if (subject?.kind !== "Pod") return undefined;
  const isDefaulted =
    missingResourcesViolation(
      withLimitRangeDefaults(ranges, subject.spec),
      quotaForResources(stillRequired),
    ) === undefined;
  return isDefaulted ? ranges[0] : undefined;
}

function quotaForResources(names: readonly string[]): KubeObject {
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
