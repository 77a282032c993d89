import { runOnceAnnotation } from "../../model/annotations.ts";
import {
  hasSameContent,
  isDeletedByTtl,
  isDoneWhenAbsent,
  isRunOnce,
} from "../../model/cluster/jobs.ts";
import { textAt } from "../../model/json.ts";
import { isKubeObject, type KubeObject, nameOf } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Observed, PlanRules } from "../plan-input.ts";
import { toReleased } from "./declare-objects.ts";
import type { DeclaredObject } from "./objects.ts";

type JobRules = Pick<PlanRules, "corrects" | "isRollback">;

/**
 * Returns a test that reports whether a Job is missing and must not run again
 * (docs/reference/deployment.md#finished-jobs).
 * A drift correction runs no completed Job again. A Job with the annotation `run-once` runs once
 * per content. A rollback doesn't run it again either, because a later one has done the work.
 */
export function completedJobTest(
  declared: readonly DeclaredObject[],
  { live, history }: Pick<Observed, "live" | "history">,
  { corrects, isRollback }: JobRules,
): (object: Pick<DeclaredObject, "key" | "object">) => boolean {
  const byKey = new Map(declared.map((each) => [each.key, each]));
  return ({ key, object }) => {
    if (!isDoneWhenAbsent(object) || !isAbsent(live.get(key))) return false;
    if (corrects === true) return true;
    const completed = history.completedJobs.get(key);
    if (!isRunOnce(object) || completed === undefined) return false;
    return isRollback === true || hasSameContent(recordedForm(byKey.get(key), object), completed);
  };
}

/** Returns the manifest with its references as written, as a release records it. */
function recordedForm(declared: DeclaredObject | undefined, object: KubeObject): KubeObject {
  const [released] = declared === undefined ? [] : toReleased([declared]);
  return released !== undefined && isKubeObject(released.object) ? released.object : object;
}

/**
 * Reports whether an object is missing or is being deleted.
 * A deployment would create it again in both cases.
 */
function isAbsent(live: KubeObject | undefined): boolean {
  return live === undefined || textAt(live, "metadata", "deletionTimestamp") !== undefined;
}

/**
 * Returns notices for completed Jobs that aren't run again.
 * A Job whose manifest sets a TTL needs none, because the cluster always deletes it.
 */
export function completedJobNotices(
  done: readonly Pick<DeclaredObject, "id" | "object">[],
): readonly Problem[] {
  return done
    .filter(({ object }) => !isDeletedByTtl(object))
    .map(({ id, object }) => ({
      code: "completed-job-deleted",
      what: `${nameOf(id)} no longer exists`,
      ...(isRunOnce(object) ? ranOnce : deletedManually),
      where: [],
    }));
}

const deletedManually = {
  why: "The Job had completed, so qvs doesn't run it again",
  fix: "Deploy to run the Job again",
  otherwise: ["set spec.ttlSecondsAfterFinished if the Job is always deleted after it completes"],
};

const ranOnce = {
  why: `The Job has completed with this content, and its annotation ${runOnceAnnotation} allows no second run`,
  fix: "Change its content or its name to run it again",
};
