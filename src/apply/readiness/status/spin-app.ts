import { findCondition, isConditionTrue } from "../../../health/conditions.ts";
import { numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { notObserved, ready, type Status, type StatusFacts } from "./conditions.ts";
import { isUnchangedCondition } from "./stale-condition.ts";

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
