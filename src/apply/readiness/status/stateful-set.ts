import { numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { isObserved } from "./observed.ts";
import { availableReplicas, countsText, replicasWanted } from "./replicas.ts";
import { ready, type Status, waiting } from "./status.ts";

/** Ready when every ordinal above the partition runs the update revision and all are ready. */
export function statefulSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return waiting("its controller has not seen it yet");
  const wanted = replicasWanted(object);
  if (textAt(object, "spec", "updateStrategy", "type") === "OnDelete") {
    return replacedByHand(object, wanted);
  }
  return isRolledOut(object, wanted) && isServing(object, wanted)
    ? ready()
    : waiting(countsText(object, wanted));
}

/** Nothing is waited for where a person has to replace Pods; those that the controller makes have to be ready. */
function replacedByHand(object: KubeObject, wanted: number): Status {
  const all = numberAt(object, "status", "replicas") ?? 0;
  const old = all - (numberAt(object, "status", "updatedReplicas") ?? 0);
  if (all === wanted && old > 0) {
    return { state: "ready", notice: `${old} of ${all} Pods are old until somebody deletes them` };
  }
  return isServing(object, wanted) ? ready() : waiting(countsText(object, wanted));
}

function isRolledOut(object: KubeObject, wanted: number): boolean {
  const partition = numberAt(object, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  if (partition > 0) return updated >= wanted - partition;
  const current = textAt(object, "status", "currentRevision");
  return updated >= wanted && current === textAt(object, "status", "updateRevision");
}

function isServing(object: KubeObject, wanted: number): boolean {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  return Math.min(readyReplicas, availableReplicas(object)) >= wanted && all === wanted;
}
