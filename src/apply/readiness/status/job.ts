import { explainCondition, findCondition, isConditionTrue } from "../../../health/conditions.ts";
import { idleReason, isJob, jobProgress } from "../../../model/cluster/jobs.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import { failedForGood, type Status, waiting } from "./conditions.ts";

/**
 * Reports whether a Job is complete. It is no longer needed then.
 * With ttlSecondsAfterFinished: 0, it is deleted at the same moment.
 */
export function isCompletedJob(object: KubeObject): boolean {
  return isJob(idOf(object)) && isConditionTrue(object, "Complete");
}

export function jobStatus(object: KubeObject): Status {
  // FailureTarget is set first: the Job has failed, but its last Pods are still being removed.
  for (const type of ["Failed", "FailureTarget"]) {
    const found = findCondition(object, type);
    if (found?.status === "True") return failedForGood(explainCondition(found));
  }
  // A Job that is idle on purpose counts as ready, because no older version of it keeps running.
  const notice = idleReason(object);
  if (notice !== undefined) return { state: "ready", notice };
  return waiting(jobProgress(object));
}
