import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, withMetadata } from "../../model/object.ts";
import { type Change, type FieldConflict, fieldManager } from "../../model/plan.ts";
import { areForceable, fieldConflicts } from "../../ssa/predict-conflicts.ts";
import { retryConflicts, type WriteAttempt } from "../retry-conflicts.ts";
import { equalExceptStatus, withPlannedUid } from "./apply-object.ts";
import { changedSincePlan } from "./patch-live.ts";
import { retryStaleAdmission } from "./propagation-delay.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Applies an object and forces exactly the conflicts that the user allowed.
 * The API server forces all conflicts or none. qvs first sends the request without force, then
 * forces it at the same version of the object.
 */
export async function forceApply(
  change: Change,
  allowed: readonly FieldConflict[],
  context: UpsertContext,
): Promise<ApiResult<KubeObject>> {
  return retryConflicts(context.signal, () => forceOnce(change, allowed, context));
}

async function forceOnce(
  change: Change,
  allowed: readonly FieldConflict[],
  context: UpsertContext,
): Promise<WriteAttempt<ApiResult<KubeObject>>> {
  const { cluster, deployment } = context;
  const object = withPlannedUid(change);
  const options = {
    fieldManager: fieldManager(deployment, change.stage),
    dryRun: false,
    force: false,
  };
  const fresh = await cluster.read(addressOf(object));
  if (!fresh.ok) return { answer: fresh };
  if (fresh.value === undefined || change.live === undefined) {
    return { answer: changedSincePlan(change) };
  }
  if (!equalExceptStatus(fresh.value, change.live)) return { answer: changedSincePlan(change) };
  const versioned = atLiveVersion(object, fresh.value);
  const first = await cluster.apply(versioned, options);
  if (first.ok) return { answer: first };
  const conflicts = fieldConflicts(first.failure.causes);
  if (conflicts.length === 0) return toAttempt(first, change, context);
  if (!areForceable(conflicts, allowed)) return { answer: first };
  const forced = await cluster.apply(versioned, { ...options, force: true });
  return toAttempt(forced, change, context);
}

function toAttempt(
  answer: ApiResult<KubeObject>,
  change: Change,
  context: UpsertContext,
): WriteAttempt<ApiResult<KubeObject>> {
  if (answer.ok) return { answer };
  if (answer.failure.reason === "conflict") return { answer, prepareRetry: async () => undefined };
  return retryStaleAdmission(answer, change, context);
}

function atLiveVersion(object: KubeObject, live: KubeObject): KubeObject {
  const resourceVersion = textAt(live, "metadata", "resourceVersion") ?? "";
  return withMetadata(object, { resourceVersion });
}
