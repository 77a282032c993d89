import { at, numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { explainCondition, findCondition, isConditionTrue } from "./conditions.ts";
import { countsText, desiredReplicas } from "./replicas.ts";
import { isStaleCondition } from "./stale-condition.ts";
import {
  failed,
  isObserved,
  notObserved,
  ready,
  type Status,
  type StatusFacts,
  suspended,
  waiting,
} from "./status.ts";

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
