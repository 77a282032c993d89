import type { Deletion } from "../../model/deletion.ts";
import { addressOf, uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { ApplyRun } from "../run.ts";
import { applyDeletion } from "./apply-deletion.ts";

/**
 * Deletes the hooks of a deletion, the last ones first. It is the last step, so that another
 * attempt finds the hooks that have ended and doesn't run them again.
 */
export async function deleteHooks(run: ApplyRun): Promise<void> {
  const hooks = run.plan.changes.filter(({ hook }) => hook !== undefined);
  for (const change of hooks.toReversed()) {
    const deletion = hookDeletion(run, change);
    if (deletion !== undefined && !(await applyDeletion(run, deletion))) return;
  }
}

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

function hookDeletion({ ledger }: ApplyRun, change: Change): Deletion | undefined {
  const { key, id, stage } = change;
  const live = ledger.liveObjects.get(key) ?? change.live;
  return live === undefined
    ? undefined
    : { key, id, stage, apiVersion: live.apiVersion, uid: uidOf(live), live, after: [] };
}
