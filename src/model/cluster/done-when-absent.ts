import { at, type Json } from "../json.ts";
import { groupOf, type KubeObject } from "../object.ts";

/**
 * Whether it has done its work when it is not there any more, since a release with it has succeeded: each run waits until its Jobs have
 * completed. The cluster deletes them by their TTL, and people by a clean-up; who wants one to run again deploys. A suspended Job never
 * ends.
 */
export function isDoneWhenAbsent(object: KubeObject): boolean {
  const isJob = object.kind === "Job" && groupOf(object.apiVersion) === "batch";
  const suspended: Json | undefined = at(object, "spec", "suspend");
  return isJob && suspended !== true;
}

/** Whether its manifest says that the cluster deletes it, which nobody has to be told. */
export function isDeletedByTtl(object: KubeObject): boolean {
  return typeof at(object, "spec", "ttlSecondsAfterFinished") === "number";
}
