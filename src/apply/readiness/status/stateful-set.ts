import { numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { availableReplicas, countsText, desiredReplicas } from "./replicas.ts";
import { isObserved, notObserved, ready, type Status, waiting } from "./status.ts";

/**
 * Reports a StatefulSet as ready when all its Pods are ready.
 * Every ordinal at or above the partition must run the update revision.
 */
export function statefulSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return notObserved();
  const desired = desiredReplicas(object);
  if (textAt(object, "spec", "updateStrategy", "type") === "OnDelete") {
    return onDeleteStatus(object, desired);
  }
  return isRolledOut(object, desired) && isServing(object, desired)
    ? ready()
    : waiting(countsText(object, desired));
}

/**
 * Computes the status for the strategy `OnDelete`.
 * qvs doesn't wait for Pods that a user must replace. Pods that the controller creates must be
 * ready.
 */
function onDeleteStatus(object: KubeObject, desired: number): Status {
  const all = numberAt(object, "status", "replicas") ?? 0;
  const old = all - (numberAt(object, "status", "updatedReplicas") ?? 0);
  if (all === desired && old > 0) {
    return { state: "ready", notice: `${old} of ${all} Pods stay old until a user deletes them` };
  }
  return isServing(object, desired) ? ready() : waiting(countsText(object, desired));
}

function isRolledOut(object: KubeObject, desired: number): boolean {
  const partition = numberAt(object, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  if (partition > 0) return updated >= desired - partition;
  const current = textAt(object, "status", "currentRevision");
  return updated >= desired && current === textAt(object, "status", "updateRevision");
}

function isServing(object: KubeObject, desired: number): boolean {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  return Math.min(readyReplicas, availableReplicas(object)) >= desired && all === desired;
}
