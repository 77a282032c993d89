import { at, type JsonObject, numberAt } from "../json.ts";
import { groupOf, type KubeObject } from "../object.ts";

/**
 * Whether the cluster deletes the object once it has done its work: that it is not there says that it is done, not that somebody has
 * deleted it. A suspended Job never ends.
 */
export function goesWhenDone(object: KubeObject & JsonObject): boolean {
  const isJob = object.kind === "Job" && groupOf(object.apiVersion) === "batch";
  const ttl = numberAt(object, "spec", "ttlSecondsAfterFinished");
  return isJob && ttl !== undefined && at(object, "spec", "suspend") !== true;
}
