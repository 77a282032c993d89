import { nameOf, uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Explanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import type { Run } from "../run.ts";
import { deleteObject } from "./delete.ts";

/**
 * Deletes an object that will be created again, and waits until it no longer exists.
 * Returns false if it still exists.
 */
export async function removeOld(run: Run, change: Change): Promise<boolean> {
  const { key, id, stage, live, desired } = change;
  if (live === undefined) return true;
  const { apiVersion } = desired;
  const deletion = { key, id, stage, apiVersion, uid: uidOf(live), live, after: [] };
  const outcome = await deleteObject(deletion, {
    ...run,
    ...run.world,
    owner: run.plan,
    signal: run.halt.signal,
    // A newer run can't interrupt between the deletion and the creation.
    urgent: run.halt.urgent,
    timeoutMs: run.limits.timeoutMs,
    onSending: () => run.world.progress.report({ type: "applying", key, action: "replace" }),
    onWaiting: (why) => run.world.progress.report({ type: "waiting", key, why }),
  });
  switch (outcome.state) {
    case "absent":
      return true;
    case "kept":
      return fail(run, change, protectedNow(change, outcome.why));
    case "failed":
      return fail(run, change, outcome.explanation);
    case "stopped":
      run.ledger.recordUnfinished(
        key,
        "replaced",
        `deletion not confirmed, and not recreated: ${outcome.why}`,
      );
      return false;
    case "not sent":
      return false;
  }
}

function protectedNow({ id }: Change, why: string): Explanation {
  return {
    code: "foreign-object",
    what: `${nameOf(id)} can't be recreated: ${why}`,
    fix: "Give the new object another name, or remove what protects the old one",
  };
}
