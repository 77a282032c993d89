import { isFailedJob, isFinishedJob, isJob } from "../../model/cluster/jobs.ts";
import type { Deletion } from "../../model/deletion.ts";
import { nameFromKey, uidOf } from "../../model/object.ts";
import { type Change, hooksOf, isLastHook, type Plan, withoutChanges } from "../../model/plan.ts";
import { fail } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";

/**
 * Reports whether the Jobs of these hooks have completed. A suspended Job counts as done in a
 * deployment, but nothing must be deleted before a hook has done its work.
 */
export function haveCompleted(run: ApplyRun, changes: readonly Change[]): boolean {
  const open = hooksOf({ changes }).find((change) => {
    const live = run.ledger.liveObjects.get(change.key) ?? change.live;
    const isDone = live !== undefined && isFinishedJob(live) && !isFailedJob(live);
    return isJob(change.id) && !isDone;
  });
  if (open === undefined) return true;
  return fail(run, open, {
    code: "not-ready",
    what: "it hasn't completed",
    why: "It is suspended, or qvs doesn't wait for it",
    fix: "Resume it, then run the deletion again",
  });
}

/**
 * Reports whether the hooks after the deletions can run: every object of the plan is deleted. A
 * kept object fails the run, so that the release stays and the next deletion runs these hooks.
 */
export function canRunLastHooks(run: ApplyRun): boolean {
  const { plan, ledger } = run;
  const hook = plan.changes.find(isLastHook);
  if (hook === undefined) return false;
  const left = plan.deletions.find(({ key }) => ledger.getResult(key)?.outcome !== "deleted");
  if (left === undefined) return true;
  return fail(run, hook, {
    code: "dependency-failed",
    what: `it didn't run, because ${nameFromKey(left.key)} is kept`,
    fix: "Run the deletion again when nothing uses that object",
  });
}

/**
 * Returns the plan that deletes the hooks of a finished deletion, the last ones first. It runs
 * after the record of the deletion: another attempt then doesn't run a hook that no longer exists.
 */
export function planHookDeletions({ plan, ledger }: ApplyRun): Plan | undefined {
  // Another client created an object of the same name after the plan was made. It isn't qvs's own.
  const isOwn = ({ key }: Change) => ledger.getResult(key)?.met !== true;
  const hooks = hooksOf(plan).filter(isOwn).toReversed();
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
