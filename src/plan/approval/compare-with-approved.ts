import type { ReleasedManifest } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { type Json, sameJson } from "../../model/json.ts";
import { idOf, isKubeObject, keyOf } from "../../model/object.ts";
import {
  type Approval,
  type ApprovalComparison,
  type ApprovedPlans,
  codeMatchesKey,
  operationCode,
} from "../../model/plan/approval.ts";
import type { Change, Plan, PlannedOperation } from "../../model/plan/plan.ts";
import { collectRecords } from "../attribution/release-records.ts";

/**
 * Returns a test for operations that only restore the state of the current release, e.g. after a
 * manual change.
 * Such an operation creates or applies an object exactly as declared by all releases that might
 * have written the live object. It takes no fields from other managers, and neither replaces nor
 * deletes an object.
 */
export function createRestoreCheck(
  changes: readonly Change[],
  declared: readonly ReleasedManifest[],
  history: ReleaseHistory,
): (operation: PlannedOperation) => boolean {
  const { release, possiblyLive } = collectRecords(history);
  const desired = byKey(declared);
  const applied = new Set(changes.filter(isOnlyApplied).map(({ key }) => key));
  return ({ key, action }) => {
    const declaredNow = desired.get(key);
    const recorded = possiblyLive.get(key) ?? [];
    // A release that failed might have declared the object without deploying it.
    const wasDeployed = recorded.some(({ isDeployed }) => isDeployed);
    if (release === undefined || declaredNow === undefined || !wasDeployed) return false;
    if (action === "delete" || action === "replace" || !applied.has(key)) return false;
    return recorded.every(({ manifest }) => isSameManifest(manifest, declaredNow));
  };
}

function isOnlyApplied({ steps }: Change): boolean {
  return steps.every(({ type }) => type === "apply");
}

function byKey(manifests: readonly ReleasedManifest[]): ReadonlyMap<string, ReleasedManifest> {
  return new Map(
    manifests.flatMap((manifest) => {
      const { object } = manifest;
      return isKubeObject(object) ? [[keyOf(idOf(object)), manifest] as const] : [];
    }),
  );
}

/** Compares two manifests as JSON, because a record has no fields without a value. */
function isSameManifest(a: ReleasedManifest, b: ReleasedManifest): boolean {
  const parts = ({ stage, object, references }: ReleasedManifest) =>
    JSON.parse(JSON.stringify({ stage, object, references: references ?? false })) as Json;
  return sameJson(parts(a), parts(b));
}

/**
 * Compares a plan with the approved plans by their operations, in any order.
 * The approvals of several pull requests count together. `restores` reports whether an operation
 * only restores the state of the current release. Deployments, merge queues and the command share
 * this decision.
 */
export function compareWithApproved(
  plan: Pick<Plan, "digest" | "operations">,
  { approvals }: Pick<ApprovedPlans, "approvals">,
  restores: (operation: PlannedOperation) => boolean,
): ApprovalComparison {
  const by = approvals.map((approval) => approval.by);
  const identical = approvals.filter((approval) => hasDigest(approval, plan.digest));
  if (identical.length > 0) return { type: "same", by: identical.map((each) => each.by) };
  const planned = plan.operations;
  if (planned?.length === 0) return { type: "same", by };
  const approved = new Set(approvals.flatMap(({ operations = [] }) => operations));
  const codes = new Set(planned?.map(operationCode));
  const absent = [...approved].filter((code) => !codes.has(code));
  // An object that depends on a Secret's value is in every plan, and usually doesn't change.
  const isUnchangedUnknown = (operation: PlannedOperation) =>
    operation.action === "known after deploy" && restores(operation);
  const unknown = (planned ?? []).filter(
    (operation) => !approved.has(operationCode(operation)) && !isUnchangedUnknown(operation),
  );
  const additional = unknown.filter((operation) => !restores(operation));
  if (planned === undefined || additional.length > 0) {
    const digestsOnly = approvals.filter(({ operations }) => operations === undefined);
    const withApproved = additional.map((operation) => ({
      operation,
      approved: absent.find((code) => codeMatchesKey(code, operation.key)),
    }));
    return { type: "other", by, absent, additional: withApproved, digestsOnly };
  }
  if (unknown.length > 0) return { type: "drift", by, absent, restored: unknown };
  return absent.length === 0 ? { type: "same", by } : { type: "less", by, absent, restored: [] };
}

/**
 * The minimum length of a digest that a user enters.
 * One in 4 billion plans has the same first 8 characters.
 */
const minDigestLength = 8;

function hasDigest({ digest }: Approval, whole: string): boolean {
  return digest.length >= minDigestLength && whole.startsWith(digest);
}
