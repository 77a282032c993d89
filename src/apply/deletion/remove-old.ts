import { nameOf, uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Explanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import { type Run, record } from "../run.ts";
import { deleteObject } from "./delete.ts";

/** Deletes the object that is to be made anew, and waits until it is gone. False when it is still there. */
export async function removeOld(run: Run, change: Change): Promise<boolean> {
  const { key, id, stage, live, desired } = change;
  if (live === undefined) return true;
  const { apiVersion } = desired;
  const deletion = { key, id, stage, apiVersion, uid: uidOf(live), live, after: [] };
  const outcome = await deleteObject(deletion, {
    ...run,
    ...run.world,
    deployment: run.plan.deployment,
    signal: run.halt.signal,
    timeoutMs: run.limits.timeoutMs,
    onSending: () => run.world.progress.report({ type: "applying", key, action: "replace" }),
    onWaiting: (why) => run.world.progress.report({ type: "waiting", key, why }),
  });
  switch (outcome.state) {
    case "gone":
      return true;
    case "kept":
      return fail(run, change, protectedNow(change, outcome.why));
    case "failed":
      return fail(run, change, outcome.explanation);
    case "stopped":
      run.unfinished.add(key);
      record(run, key, "replaced", `not seen gone, and not made anew: ${outcome.why}`);
      return false;
    case "not sent":
      return false;
  }
}

function protectedNow({ id }: Change, why: string): Explanation {
  return {
    what: `${nameOf(id)} can't be made anew: ${why}`,
    fix: "give the new object another name, or see to what protects the old one",
  };
}
