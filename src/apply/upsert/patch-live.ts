import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, nameOf, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import type { PatchDecision } from "../../ssa/steps/step.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import { equalExceptStatus } from "./apply-object.ts";
import { retryStaleAdmission } from "./propagation-delay.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Patches the live object before the apply request.
 * It returns the change against the patched object. Every patch is for one version of the object.
 * If only the status has changed since, qvs repeats the patch.
 */
export async function patchLive(
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
export function changedSincePlan({ id }: Change): ApiResult<never> {
  const message = `${nameOf(id)} was changed by another client after the plan was made`;
  return { ok: false, failure: { reason: "conflict", status: 409, message, causes: [] } };
}
