import { at } from "../json.ts";
import { groupOf, type KubeObject } from "../object.ts";
import { idleReason } from "./idle-job.ts";

/**
 * Reports whether the absence of an object means that it has done its work.
 * Each run waits until its Jobs complete. After a successful release, a TTL or a manual cleanup can
 * delete them. A user who wants a Job to run again deploys. An idle Job never completes.
 */
export function isDoneWhenAbsent(object: KubeObject): boolean {
  const isJob = object.kind === "Job" && groupOf(object.apiVersion) === "batch";
  return isJob && idleReason(object) === undefined;
}

/**
 * Reports whether the manifest makes the cluster delete the object by its TTL. Such a deletion
 * needs no notice.
 */
export function isDeletedByTtl(object: KubeObject): boolean {
  return typeof at(object, "spec", "ttlSecondsAfterFinished") === "number";
}
