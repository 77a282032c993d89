import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { sameJson, textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, nameOf, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, type FieldConflict, fieldManager, type Step } from "../../model/plan/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { areForceable, fieldConflicts } from "../../ssa/predict-conflicts.ts";
import type { Execution, PatchDecision } from "../../ssa/steps/step.ts";
import { stepExecution } from "../../ssa/steps/steps.ts";
import {
  type PropagatingWrites,
  pauseBeforeRetry,
  retryConflicts,
  retryStaleAdmission,
  type WriteAttempt,
} from "../retry-writes.ts";
import { applyObject, equalExceptStatus, withPlannedUid } from "./apply-object.ts";

/**
 * Waits until the API server merges by a changed definition, at most 5 s after the change.
 * For a moment the server still uses the former definition without any sign of it. The new
 * definition is in effect when a dry run returns the predicted object.
 */
async function awaitCrdInEffect(
  change: Change,
  { isForced }: { readonly isForced: boolean },
  context: UpsertContext,
): Promise<void> {
  const { definedAt, clock, cluster, deployment, signal } = context;
  if (definedAt === undefined || change.live === undefined) return;
  const options = {
    fieldManager: fieldManager(deployment, change.stage),
    dryRun: true,
    force: isForced,
  };
  while (clock.elapsed() - definedAt < maxWaitMs && !signal.aborted) {
    const answer = await cluster.apply(withPlannedUid(change), options);
    // The real request gets the same answer, and its caller handles it.
    if (!answer.ok || isPredicted(answer.value, change)) return;
    await pauseBeforeRetry(context);
  }
}

const maxWaitMs = 5_000;

function isPredicted(answer: KubeObject, { predicted }: Change): boolean {
  return predicted !== undefined && sameJson(mergedFields(answer), mergedFields(predicted));
}

/** Returns the fields that the API server merges by a definition. */
function mergedFields({ metadata: _metadata, status: _status, ...content }: KubeObject) {
  return content;
}

export interface UpsertContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly deployment: string;
  readonly propagating: PropagatingWrites;
  /**
   * The clock time, in ms, of this run's change to the definition of the kind. Undefined without
   * one.
   */
  readonly definedAt?: number | undefined;
  readonly signal: AbortSignal;
}

/** A step that takes one request, which qvs might repeat. */
export type StepRequest = Exclude<Execution, { readonly by: "delete" | "grow claims" }>;

export function isStepRequest(execution: Execution): execution is StepRequest {
  return execution.by !== "delete" && execution.by !== "grow claims";
}

/**
 * Runs steps of a change in order, and returns the change against the resulting object.
 * Each step follows the plan exactly or does nothing. A change by another client needs a new plan.
 */
export async function upsert(
  planned: Change,
  requests: readonly StepRequest[],
  context: UpsertContext,
): Promise<ApiResult<Change>> {
  let change = planned;
  for (const request of requests) {
    const answer = await sendRequest(change, request, context);
    if (!answer.ok) return answer;
    change = answer.value;
  }
  return { ok: true, value: change };
}

/** Returns the executions of a change's steps, in their order. */
export function stepExecutions(
  { steps, stage, desired: object }: Change,
  deployment: string,
): readonly Execution[] {
  return steps.map((step: Step) => stepExecution(step, { deployment, stage, object }));
}

async function sendRequest(
  change: Change,
  request: StepRequest,
  context: UpsertContext,
): Promise<ApiResult<Change>> {
  switch (request.by) {
    case "patch":
      return patchLive(change, request.patch, context);
    case "apply": {
      const isForced = request.force.length > 0;
      await awaitCrdInEffect(change, { isForced }, context);
      const answer = !isForced
        ? await applyObject(change, context)
        : await forceApply(change, request.force, context);
      return answer.ok ? { ok: true, value: { ...change, live: answer.value } } : answer;
    }
  }
}

/**
 * Applies an object and forces exactly the conflicts that the user allowed.
 * The API server forces all conflicts or none. qvs first sends the request without force, then
 * forces it at the same version of the object.
 */
async function forceApply(
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

/**
 * Patches the live object before the apply request.
 * It returns the change against the patched object. Every patch is for one version of the object.
 * If only the status has changed since, qvs repeats the patch.
 */
async function patchLive(
  change: Change,
  decidePatch: (live: KubeObject) => PatchDecision,
  context: UpsertContext,
): Promise<ApiResult<Change>> {
  const { live: planned } = change;
  if (planned === undefined) return { ok: true, value: change };
  const options = { fieldManager: fieldManager(context.deployment, change.stage), dryRun: false };
  // The plan might have read the live object in a version that a changed definition no longer
  // serves.
  const address = addressOf({ ...planned, apiVersion: change.desired.apiVersion });
  let live = planned;
  const prepareRetry = async (): Promise<ApiResult<Change> | undefined> => {
    const fresh = await context.cluster.read(address);
    if (!fresh.ok) return fresh;
    if (fresh.value === undefined || uidOf(fresh.value) !== uidOf(planned)) {
      return changedSincePlan(change);
    }
    // An answer might be lost: the patch is done, and qvs can't separate its result from other
    // changes.
    // The planned version stays. If the API server rejects it, fields that keep their live values
    // get the current ones.
    if (decidePatch(fresh.value) === "done") {
      return { ok: true, value: { ...change, live: fresh.value } };
    }
    if (!equalExceptStatus(fresh.value, planned)) return changedSincePlan(change);
    live = fresh.value;
    return undefined;
  };
  return retryConflicts<ApiResult<Change>>(context.signal, async () => {
    const patch = decidePatch(live);
    if (patch === "done") return { answer: { ok: true, value: withLiveObject(change, live) } };
    if (patch === "not as planned") return { answer: changedSincePlan(change) };
    const answer = await context.cluster.patch(address, patch, options);
    if (answer.ok) return { answer: { ok: true, value: withLiveObject(change, answer.value) } };
    if (answer.failure.reason === "conflict") return { answer, prepareRetry };
    return retryStaleAdmission(answer, change, context);
  });
}

function withLiveObject(change: Change, live: KubeObject): Change {
  if (change.desired.metadata.resourceVersion === undefined) return { ...change, live };
  const resourceVersion = textAt(live, "metadata", "resourceVersion") ?? "";
  return { ...change, live, desired: withMetadata(change.desired, { resourceVersion }) };
}

/** Returns the conflict for an object that changed after the plan was made, in an unplanned way. */
function changedSincePlan({ id }: Change): ApiResult<never> {
  const message = `${nameOf(id)} was changed by another client after the plan was made`;
  return { ok: false, failure: { reason: "conflict", status: 409, message, causes: [] } };
}
