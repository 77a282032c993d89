import { at, numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { isFromBefore } from "./before-the-change.ts";
import { condition, explain, isTrue } from "./conditions.ts";
import { isObserved } from "./observed.ts";
import { countsText, replicasWanted } from "./replicas.ts";
import { type Facts, failed, ready, type Status, suspended, waiting } from "./status.ts";

/** Ready when every replica is of the newest template and available, and no older one is left. */
export function deploymentStatus(object: KubeObject, facts: Facts): Status {
  if (at(object, "spec", "paused") === true) return suspended("paused by spec.paused");
  if (!isObserved(object)) return waiting("its controller has not seen it yet");
  const progressing = condition(object, "Progressing");
  const exceeded = progressing?.reason === "ProgressDeadlineExceeded";
  if (exceeded && !isFromBefore(object, progressing, facts)) {
    return failed(`${explain(progressing)} (${progressText(object)})`);
  }
  return isRolledOut(object) && isTrue(object, "Available")
    ? ready()
    : waiting(progressText(object));
}

function isRolledOut(object: KubeObject): boolean {
  const wanted = replicasWanted(object);
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const available = numberAt(object, "status", "availableReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  return updated === wanted && available === wanted && all === wanted;
}

/** A quota or an admission webhook that refuses the Pods shows up nowhere else than in ReplicaFailure. */
function progressText(object: KubeObject): string {
  const refusal = condition(object, "ReplicaFailure");
  const counts = countsText(object, replicasWanted(object));
  return refusal?.status === "True" ? `${counts}; ${explain(refusal)}` : counts;
}
