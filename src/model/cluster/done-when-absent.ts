import { at } from "../json.ts";
import { groupOf, type KubeObject } from "../object.ts";
import { whyIdle } from "./idle-job.ts";

/**
 * Whether it has done its work when it is not there any more, since a release with it has succeeded: each run waits until its Jobs have
 * completed. The cluster deletes them by their TTL, and people by a clean-up; who wants one to run again deploys. One that is idle never
 * ends.
 */
export function isDoneWhenAbsent(object: KubeObject): boolean {
  const isJob = object.kind === "Job" && groupOf(object.apiVersion) === "batch";
  return isJob && whyIdle(object) === undefined;
}

/** Whether its manifest says that the cluster deletes it, which nobody has to be told. */
export function isDeletedByTtl(object: KubeObject): boolean {
  return typeof at(object, "spec", "ttlSecondsAfterFinished") === "number";
}
