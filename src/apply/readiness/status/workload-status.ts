import {
  explainCondition,
  findCondition,
  isConditionTrue,
  isObserved,
} from "../../../health/conditions.ts";
import { idleReason, isJob, jobProgress } from "../../../model/cluster/jobs.ts";
import { at, numberAt, textAt } from "../../../model/json.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import {
  failed,
  failedForGood,
  isStaleCondition,
  isUnchangedCondition,
  notObserved,
  ready,
  type Status,
  type StatusFacts,
  suspended,
  waiting,
} from "./conditions.ts";

/** Returns the number of replicas, with the API server's default. */
export function desiredReplicas(object: KubeObject): number {
  return numberAt(object, "spec", "replicas") ?? 1;
}

/**
 * Returns the number of available replicas.
 * Deployments omit a count of zero. A StatefulSet without a count is from a cluster that doesn't
 * count them.
 */
function availableReplicas(object: KubeObject): number {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const unknown = object.kind === "StatefulSet" ? readyReplicas : 0;
  return numberAt(object, "status", "availableReplicas") ?? unknown;
}

/** Formats replica counts: `new 1/3, old 3, 3 of 4 Pods ready`, or `new 1/3, 1 ready`. */
export function countsText(object: KubeObject, desired: number): string {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const available = availableReplicas(object);
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  const old = all - updated;
  return [
    `new ${updated}/${desired}`,
    ...(old > 0
      ? [`old ${old}`, `${readyReplicas} of ${all} Pods ready`]
      : [`${readyReplicas} ready`]),
    ...(available < readyReplicas ? [`${available} available`] : []),
  ].join(", ");
}

/**
 * Reports a Deployment as ready when all its replicas are available and run the newest template.
 */
export function deploymentStatus(object: KubeObject, facts: StatusFacts): Status {
  if (at(object, "spec", "paused") === true) return suspended("paused by spec.paused");
  if (!isObserved(object)) return notObserved();
  const progressing = findCondition(object, "Progressing");
  const exceeded = progressing?.reason === "ProgressDeadlineExceeded";
  if (exceeded && !isStaleCondition(object, progressing, facts)) {
    return failed(`${explainCondition(progressing)} (${progressText(object)})`);
  }
  return isRolledOut(object) && isConditionTrue(object, "Available")
    ? ready()
    : waiting(progressText(object), hasReplicaFailure(object) ? "refused" : undefined);
}

function isRolledOut(object: KubeObject): boolean {
  const desired = desiredReplicas(object);
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const available = numberAt(object, "status", "availableReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  return updated === desired && available === desired && all === desired;
}

/**
 * Describes the progress of a rollout.
 * If a quota or an admission webhook denies the Pods, only the condition ReplicaFailure shows it.
 */
function progressText(object: KubeObject): string {
  const refusal = findCondition(object, "ReplicaFailure");
  const counts = countsText(object, desiredReplicas(object));
  return refusal?.status === "True" ? `${counts}; ${explainCondition(refusal)}` : counts;
}

function hasReplicaFailure(object: KubeObject): boolean {
  return isConditionTrue(object, "ReplicaFailure");
}

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
  return isStatefulSetRolledOut(object, desired) && isServing(object, desired)
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

function isStatefulSetRolledOut(object: KubeObject, desired: number): boolean {
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

/**
 * Reports a DaemonSet as ready when every eligible node runs an available, updated Pod.
 * With the strategy `OnDelete`, qvs doesn't wait for updated Pods.
 */
export function daemonSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return notObserved();
  const desired = numberAt(object, "status", "desiredNumberScheduled") ?? 0;
  const updated = numberAt(object, "status", "updatedNumberScheduled") ?? 0;
  const available = numberAt(object, "status", "numberAvailable") ?? 0;
  const replacedManually = textAt(object, "spec", "updateStrategy", "type") === "OnDelete";
  return available >= desired && (updated >= desired || replacedManually)
    ? ready()
    : waiting(`${available}/${desired} nodes available, ${updated} updated`);
}

export function replicaSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return notObserved();
  const refusal = findCondition(object, "ReplicaFailure");
  if (refusal?.status === "True") return failed(explainCondition(refusal));
  const desired = desiredReplicas(object);
  const short = countFields.filter((field) => (numberAt(object, "status", field) ?? 0) !== desired);
  if (short.length === 0) return ready();
  return waiting(`${numberAt(object, "status", "readyReplicas") ?? 0}/${desired} ready`);
}

const countFields = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

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

/**
 * Corrects the status of a SpinApp by its health rule.
 * Its operator copies the conditions of its Deployment and writes no generation (updateStatus in
 * spinapp_controller.go of the Spin operator). A complete Deployment keeps Progressing=True with
 * NewReplicaSetAvailable, so the object alone doesn't show which version that is about. After a
 * new template, the message names another ReplicaSet. After any other change it stays the same, so
 * it counts after a while.
 */
export function spinAppStatus(object: KubeObject, facts: StatusFacts, byRule: Status): Status {
  const progressing = findCondition(object, "Progressing");
  const isComplete =
    progressing?.status === "True" &&
    progressing.reason === "NewReplicaSetAvailable" &&
    isConditionTrue(object, "Available") &&
    (numberAt(object, "status", "readyReplicas") ?? 0) >=
      (numberAt(object, "spec", "replicas") ?? 0);
  if (byRule.state !== "waiting" || !isComplete) return byRule;
  return isUnchangedCondition(progressing, facts, ["reason", "message"], settleMs)
    ? notObserved("its conditions can still be about the former version")
    : ready();
}

/** The time, in ms, after which an unchanged condition is about the new version. */
const settleMs = 60_000;
