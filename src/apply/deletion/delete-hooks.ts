import type { Deletion } from "../../model/deletion.ts";
import { addressOf, uidOf } from "../../model/object.ts";
import { type Plan, withoutChanges } from "../../model/plan.ts";
import type { ApplyRun } from "../run.ts";

/** Deletes the hooks that failed and whose policy is to be deleted then. */
export async function deleteFailedHooks(run: ApplyRun): Promise<void> {
  const { plan, ledger, world, cancellation } = run;
  if (cancellation.reason() === "lock lost") return;
  for (const { key, hook } of plan.changes) {
    const live = ledger.liveObjects.get(key);
    if (hook?.deletesFailed !== true || live === undefined) continue;
    // The failure is reported anyway, and the next attempt replaces the hook.
    if (ledger.getFailure(key) !== undefined)
      await world.cluster.delete(addressOf(live), uidOf(live));
  }
}

/**
 * Returns the plan that deletes the hooks of a finished deletion, the last ones first. It runs
 * after the record of the deletion: another attempt then doesn't run a hook that no longer exists.
 */
export function planHookDeletions({ plan, ledger }: ApplyRun): Plan | undefined {
  const hooks = plan.changes.filter(({ hook }) => hook !== undefined).toReversed();
  const deletions = hooks.flatMap((change, index): readonly Deletion[] => {
    const { key, id } = change;
    const live = ledger.liveObjects.get(key) ?? change.live;
    const before = hooks[index - 1];
    const after = before === undefined ? [] : [{ on: before.key, reason: "it ran earlier" }];
    return live === undefined
      ? []
      : [{ key, id, stage: "app", apiVersion: live.apiVersion, uid: uidOf(live), live, after }];
  });
  return deletions.length === 0 ? undefined : { ...withoutChanges(plan), deletions };
}
