import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Change, fieldManager, type Step } from "../../model/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Execution } from "../../ssa/steps/step.ts";
import { stepExecution } from "../../ssa/steps/steps.ts";
import { applyObject, withPlannedUid } from "./apply-object.ts";
import { forceApply } from "./force-apply.ts";
import { patchLive } from "./patch-live.ts";
import { type PropagatingWrites, pauseBeforeRetry } from "./propagation-delay.ts";

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
export type StepRequest = Exclude<Execution, { readonly by: "delete" }>;

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
