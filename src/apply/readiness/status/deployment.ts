import { at, numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { isFromBefore } from "./before-the-change.ts";
import { condition, explain, isTrue } from "./conditions.ts";
import { countsText, desiredReplicas } from "./replicas.ts";
import {
  type Facts,
  failed,
  isObserved,
  notObserved,
  ready,
  type Status,
  suspended,
  waiting,
} from "./status.ts";

/**
 * Reports a Deployment as ready when all its replicas are available and run the newest template.
 */
export function deploymentStatus(object: KubeObject, facts: Facts): Status {
  if (at(object, "spec", "paused") === true) return suspended("paused by spec.paused");
  if (!isObserved(object)) return notObserved();
  const progressing = condition(object, "Progressing");
  const exceeded = progressing?.reason === "ProgressDeadlineExceeded";
  if (exceeded && !isFromBefore(object, progressing, facts)) {
    return failed(`${explain(progressing)} (${progressText(object)})`);
  }
  return isRolledOut(object) && isTrue(object, "Available")
    ? ready()
    : waiting(progressText(object), isRefused(object) ? "refused" : undefined);
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
  const refusal = condition(object, "ReplicaFailure");
  const counts = countsText(object, desiredReplicas(object));
  return refusal?.status === "True" ? `${counts}; ${explain(refusal)}` : counts;
}

function isRefused(object: KubeObject): boolean {
  return isTrue(object, "ReplicaFailure");
}
