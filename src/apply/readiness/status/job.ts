import { whyIdle } from "../../../model/cluster/idle-job.ts";
import { numberAt } from "../../../model/json.ts";
import { groupOf, type KubeObject } from "../../../model/object.ts";
import { condition, explain, isTrue } from "./conditions.ts";
import { failed, type Status, waiting } from "./status.ts";

/** Such a Job is no longer needed: with ttlSecondsAfterFinished: 0 it is deleted at the same moment. */
export function isCompletedJob(object: KubeObject): boolean {
  return (
    groupOf(object.apiVersion) === "batch" && object.kind === "Job" && isTrue(object, "Complete")
  );
}

/** Its containers run: it may be in the middle of a migration, which the next run would start again or delete. */
export function isWorkingJob(object: KubeObject): boolean {
  const isJob = groupOf(object.apiVersion) === "batch" && object.kind === "Job";
  return isJob && (numberAt(object, "status", "ready") ?? 0) > 0;
}

export function jobStatus(object: KubeObject): Status {
  // FailureTarget comes first: the Job is lost, its last Pods are still being removed.
  for (const type of ["Failed", "FailureTarget"]) {
    const found = condition(object, type);
    if (found?.status === "True") return failed(explain(found));
  }
  // Idle on purpose counts as ready: no older version keeps running in a Job.
  const notice = whyIdle(object);
  if (notice !== undefined) return { state: "ready", notice };
  return waiting(countsText(object));
}

function countsText(object: KubeObject): string {
  const desired = numberAt(object, "spec", "completions") ?? 1;
  const parts = [`${numberAt(object, "status", "succeeded") ?? 0}/${desired} completed`];
  for (const field of ["active", "failed"]) {
    const count = numberAt(object, "status", field) ?? 0;
    if (count > 0) parts.push(`${count} ${field}`);
  }
  return parts.join(", ");
}
