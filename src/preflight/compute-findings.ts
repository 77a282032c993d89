import { allowAnnotation, allowedCodes } from "../model/annotations.ts";
import { withoutUnstoredFields } from "../model/cluster/fields/unstored-fields.ts";
import { annotation, groupOf, type KubeObject, keyOf } from "../model/object.ts";
import type { Change, Plan } from "../model/plan/plan.ts";
import { readWaitPolicy } from "../model/plan/wait-policy.ts";
import { type Finding, riskRank } from "../model/problems/finding.ts";
import type { FindingCode } from "../model/problems/finding-codes.ts";
import { currentCode } from "../model/problems/previous-codes.ts";
import type { Position } from "../model/problems/problem.ts";
import { asPlanned } from "./planned-pods.ts";
import type { PreflightInput, PreflightRule } from "./rule.ts";
import { addressReleasedLate } from "./rules/address-released-late.ts";
import { admissionOfPendingKinds } from "./rules/admission-of-pending-kinds.ts";
import { changedByAdmission } from "./rules/changed-by-admission.ts";
import { deletesDependents } from "./rules/deletes-dependents.ts";
import { deletesOutsideObjects } from "./rules/deletes-outside-objects.ts";
import { exclusiveValueConflict } from "./rules/exclusive-value-conflict.ts";
import { existingClaimsUnchanged } from "./rules/existing-claims-unchanged.ts";
import { fieldDropped, fieldDroppedByDefault } from "./rules/field-dropped.ts";
import { imageNotPinned } from "./rules/image-not-pinned.ts";
import { invalidImage } from "./rules/invalid-image.ts";
import { invalidRollout } from "./rules/invalid-rollout.ts";
import { kindNotServed } from "./rules/kind-not-served.ts";
import { manyDeletions } from "./rules/many-deletions.ts";
import { missingDependency } from "./rules/missing-dependency.ts";
import { missingPermission } from "./rules/missing-permission.ts";
import { nameTooLong } from "./rules/name-too-long.ts";
import { noHealthRule } from "./rules/no-health-rule.ts";
import { noUniqueName } from "./rules/no-unique-name.ts";
import { notAwaited } from "./rules/not-awaited.ts";
import { notReady } from "./rules/not-ready.ts";
import { notReproducible } from "./rules/not-reproducible.ts";
import { notReversible } from "./rules/not-reversible.ts";
import { oldPodsRemain } from "./rules/old-pods-remain.ts";
import { ownerMissing } from "./rules/owner-missing.ts";
import { pendingAdmission } from "./rules/pending-admission.ts";
import { pendingAdmissionOfDeletions } from "./rules/pending-admission-of-deletions.ts";
import { pendingAdmissionOfRecords } from "./rules/pending-admission-of-records.ts";
import { quotaExceeded } from "./rules/quota-exceeded.ts";
import { recreated } from "./rules/recreated.ts";
import { rejectedClaims } from "./rules/rejected-claims.ts";
import { rejectedPods } from "./rules/rejected-pods.ts";
import { replacedWithoutPods } from "./rules/replaced-without-pods.ts";
import { requestsLost } from "./rules/requests-lost.ts";
import { rolledBack } from "./rules/rolled-back.ts";
import { rolloutOutcomes } from "./rules/rollout-outcomes.ts";
import { rolloutPaused } from "./rules/rollout-paused.ts";
import { runningJobs } from "./rules/running-jobs.ts";
import { apiDeprecated, ignorePathUnmatched } from "./rules/server-warnings.ts";
import { serviceWithoutEndpoints } from "./rules/service-without-endpoints.ts";
import { startsEmpty } from "./rules/starts-empty.ts";
import { stillReferenced } from "./rules/still-referenced.ts";
import { tooLarge } from "./rules/too-large.ts";
import { unbindableClaims } from "./rules/unbindable-claims.ts";
import { unknownHealthField } from "./rules/unknown-health-field.ts";
import { unknownPort } from "./rules/unknown-port.ts";
import { unschedulablePods } from "./rules/unschedulable-pods.ts";
import { waitsForFinalizer } from "./rules/waits-for-finalizer.ts";
import { webhookDown } from "./rules/webhook-down.ts";

const rules: readonly PreflightRule[] = [
  apiDeprecated,
  changedByAdmission,
  pendingAdmission,
  pendingAdmissionOfRecords,
  pendingAdmissionOfDeletions,
  exclusiveValueConflict,
  addressReleasedLate,
  existingClaimsUnchanged,
  unbindableClaims,
  deletesOutsideObjects,
  fieldDropped,
  ignorePathUnmatched,
  imageNotPinned,
  invalidImage,
  invalidRollout,
  manyDeletions,
  missingDependency,
  missingPermission,
  nameTooLong,
  kindNotServed,
  noUniqueName,
  oldPodsRemain,
  noHealthRule,
  notAwaited,
  notReady,
  notReproducible,
  ownerMissing,
  unschedulablePods,
  quotaExceeded,
  recreated,
  replacedWithoutPods,
  rejectedClaims,
  rejectedPods,
  requestsLost,
  rolledBack,
  rolloutPaused,
  rolloutOutcomes,
  runningJobs,
  serviceWithoutEndpoints,
  startsEmpty,
  stillReferenced,
  deletesDependents,
  tooLarge,
  admissionOfPendingKinds,
  unknownHealthField,
  unknownPort,
  waitsForFinalizer,
  webhookDown,
];

/** Returns the findings of a plan, the worst first, and marks those that annotations allow. */
export function computeFindings(given: PreflightInput): readonly Finding[] {
  const input = asStored(given);
  // The fields that this rule reports are no longer in `input`.
  const found = [...fieldDroppedByDefault(given), ...rules.flatMap((rule) => rule(input))];
  return sortByRisk(
    found.map((finding) => withoutFailedWait(finding, input)),
    input,
  );
}

/** Removes the fields that the API server drops from the objects without an answer to a dry run. */
function asStored(input: PreflightInput): PreflightInput {
  const { plan, facts } = input;
  const stored = (change: Change): Change => {
    if (asPlanned(change) !== change.desired) return change;
    const desired = withoutUnstoredFields(change.desired, facts.server);
    return desired === change.desired ? change : { ...change, desired };
  };
  return { ...input, plan: { ...plan, changes: plan.changes.map(stored) } };
}

/**
 * Returns only findings about missing dependencies, which a deployment reports, too.
 * It needs no more requests than they require.
 */
export function dependencyFindings(
  input: Parameters<typeof missingDependency>[0],
): readonly Finding[] {
  const found = missingDependency(input);
  return sortByRisk(
    found.map((finding) => withoutFailedWait(finding, input)),
    input,
  );
}

/**
 * Returns the findings that a deployment derives from the answers to its dry runs, without another
 * request.
 */
export function dryRunFindings(
  input: Pick<PreflightInput, "plan" | "placeOf">,
): readonly Finding[] {
  return sortByRisk(fieldDropped(input), input);
}

/** Returns the findings about the rollback of a plan, and marks those that annotations allow. */
export function rollbackFindings(
  input: Parameters<typeof notReversible>[0],
  { plan }: Pick<FindingContext, "plan">,
): readonly Finding[] {
  return sortByRisk(notReversible(input), { plan, placeOf: input.placeOf });
}

/** The declared objects, whose annotations allow findings. */
interface FindingContext extends Pick<PreflightInput, "placeOf"> {
  readonly plan: { readonly changes: readonly Pick<Change, "key" | "desired">[] };
}

/** Sorts findings, the worst first, and marks those that annotations allow. */
export function sortByRisk(found: readonly Finding[], input: FindingContext): readonly Finding[] {
  return found.map((finding) => markAllowed(finding, input)).toSorted(compareRisk);
}

function compareRisk(a: Finding, b: Finding): number {
  return riskRank(a) - riskRank(b) || compareTexts(sortKey(a), sortKey(b));
}

function sortKey({ code, object, what }: Finding): string {
  return [object.kind, object.namespace, object.name, code, what].join(" ");
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The findings that are errors because the deployment would wait for the object until it fails. */
const failedWaits: ReadonlySet<FindingCode> = new Set<FindingCode>([
  ...(["invalid-image", "invalid-rollout", "missing-dependency", "never-fits"] as const),
  ...(["no-volume", "rollout-deadlock", "unknown-port"] as const),
]);

/** Makes a finding a warning if the deployment would fail only while it waits for the object. */
function withoutFailedWait(finding: Finding, { plan }: Pick<PreflightInput, "plan">): Finding {
  if (finding.severity !== "error" || !failedWaits.has(finding.code)) return finding;
  const change = findChange(finding, plan);
  const isAwaited = change === undefined || readWaitPolicy(change.desired).isAwaited;
  return isAwaited ? finding : { ...finding, severity: "warning" };
}

function findChange({ object }: Finding, { changes }: Plan): Change | undefined {
  const key = keyOf({ ...object, group: groupOf(object.apiVersion) });
  return changes.find((change) => change.key === key);
}

/**
 * Marks a finding as allowed by an annotation.
 * A user can't annotate a deleted object, so any object can allow a finding about many deletions.
 */
function markAllowed(finding: Finding, { plan, placeOf }: FindingContext): Finding {
  const { object, code } = finding;
  const group = groupOf(object.apiVersion);
  const key = keyOf({ ...object, group });
  const allowing = plan.changes.find(
    (change) => (change.key === key || code === "many-deletions") && allows(change.desired, code),
  );
  if (allowing === undefined) return finding;
  return { ...finding, allowed: { where: toPlaces(placeOf(allowing.key)) } };
}

function allows(object: KubeObject, code: string): boolean {
  const allowed = allowedCodes(annotation(object, allowAnnotation) ?? "");
  return allowed.some((each) => currentCode(each) === code);
}

function toPlaces(place: Position | undefined): readonly Position[] {
  return place === undefined ? [] : [place];
}
