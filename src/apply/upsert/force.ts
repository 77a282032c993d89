import type { Answer } from "../../model/api-failure.ts";
import { textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, withMetadata } from "../../model/object.ts";
import { type Change, type FieldConflict, fieldManager } from "../../model/plan.ts";
import { areAmong, conflictsIn } from "../../ssa/field-conflicts.ts";
import { pinned } from "./apply-object.ts";
import { equalExceptStatus } from "./equal-except-status.ts";
import { changedSincePlan } from "./patch-live.ts";
import type { UpsertContext } from "./upsert.ts";

const retries = 10;

/**
 * Applies an object whose conflicts the user allowed to be settled by force: exactly those that were reported. The server
 * forces everything or nothing, so it is asked without force first, and forced only at that very version of the object.
 */
export async function forceApply(
  change: Change,
  allowed: readonly FieldConflict[],
  context: UpsertContext,
): Promise<Answer<KubeObject>> {
  const object = pinned(change);
  const options = {
    fieldManager: fieldManager(context.deployment, change.stage),
    dryRun: false,
    force: false,
  };
  for (let attempt = 0; ; attempt += 1) {
    const fresh = await context.cluster.read(addressOf(object));
    if (!fresh.ok) return fresh;
    if (fresh.value === undefined || change.live === undefined) return changedSincePlan(change);
    if (!equalExceptStatus(fresh.value, change.live)) return changedSincePlan(change);
    const pinned = atVersionOf(object, fresh.value);
    const first = await context.cluster.apply(pinned, options);
    if (first.ok) return first;
    const conflicts = conflictsIn(first.failure.causes);
    if (conflicts.length > 0 && !areAmong(conflicts, allowed)) return first;
    const answer =
      conflicts.length === 0
        ? first
        : await context.cluster.apply(pinned, { ...options, force: true });
    if (answer.ok || attempt >= retries || context.signal.aborted) return answer;
    if (answer.failure.reason !== "conflict") return answer;
  }
}

function atVersionOf(object: KubeObject, live: KubeObject): KubeObject {
  const resourceVersion = textAt(live, "metadata", "resourceVersion") ?? "";
  return withMetadata(object, { resourceVersion });
}
