import { sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import { withPlannedUid } from "./apply-object.ts";
import { pauseBeforeRetry } from "./retry-stale-admission.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Waits until the API server merges by a changed definition, at most 5 s after the change.
 * For a moment the server still uses the former definition without any sign of it. The new
 * definition is in effect when a dry run returns the predicted object.
 */
export async function awaitCrdInEffect(
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
