import { findCondition, isObserved } from "../../../health/conditions.ts";
import { type HealthEvaluator, judgeByKstatus } from "../../../health/evaluator.ts";
import type { Health, HealthState } from "../../../health/rule.ts";
import { isBuiltInGroup } from "../../../model/cluster/api/built-in-groups.ts";
import { at, fieldOf, isEmpty, textAt } from "../../../model/json.ts";
import { type GroupKind, hasStatus, kindKey } from "../../../model/kinds.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import {
  failed,
  failedForGood,
  notObserved,
  ready,
  type Status,
  type StatusFacts,
  statusByOptionalCondition,
  suspended,
  waiting,
} from "./conditions.ts";
import {
  customResourceDefinitionStatus,
  namespaceStatus,
  persistentVolumeClaimStatus,
  resourceQuotaStatus,
  serviceStatus,
} from "./core-status.ts";
import { podStatus } from "./pod-status.ts";
import { rolloutStatus } from "./rollout.ts";
import { withSuspension } from "./suspension.ts";
import {
  daemonSetStatus,
  deploymentStatus,
  isCompletedJob,
  jobStatus,
  replicaSetStatus,
  spinAppStatus,
  statefulSetStatus,
} from "./workload-status.ts";

/**
 * Returns the readiness of an object, by its kind (docs/reference/deployment.md#readiness).
 * A rule of a user wins. Code decides for kinds that need more than the object, and the health
 * rules for all others.
 */
export function computeStatus(object: KubeObject, facts: StatusFacts): Status {
  if (isCompletedJob(object)) return ready();
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) {
    return failedForGood("it is being deleted");
  }
  const rule = findStatusRule(idOf(object), facts.health);
  if (rule === alwaysReady) return ready();
  return withSuspension(statusByRule(object, rule, facts), object, facts);
}

/** Reports whether objects of this kind are ready as soon as they exist. */
export function isAlwaysReady(kind: GroupKind, health: HealthEvaluator): boolean {
  return findStatusRule(kind, health) === alwaysReady;
}

function findStatusRule(kind: GroupKind, health: HealthEvaluator): StatusRule {
  if (health.userRule(kind) !== undefined) return statusByHealth;
  const rule = hasStatus(kind) ? fieldOf(statusRules, kindKey(kind)) : alwaysReady;
  if (rule !== undefined) return rule;
  return isBuiltInGroup(kind.group) && !health.hasRule(kind)
    ? statusByOptionalCondition
    : statusByHealth;
}

function statusByRule(object: KubeObject, rule: StatusRule, facts: StatusFacts): Status {
  if (rule === statusByHealth) return statusByHealth(object, facts);
  const found = judgeByKstatus(object);
  if (isObserved(object) === false)
    return notObserved("its controller hasn't observed the change yet");
  if (found === undefined) return rule(object, facts);
  return found.state === "failed" ? failed(found.reason) : waiting(found.reason);
}

/**
 * Computes the status of a kind by its health rule.
 * The controllers of such kinds try again after a failure, and a state that the rule doesn't know
 * can end. An object whose status shows no state counts as ready, and an object without a status
 * after a short wait (`first-status.ts`).
 */
function statusByHealth(object: KubeObject, { health, firstStatus }: StatusFacts): Status {
  const { state, reason, isReported } = health.judge(object);
  switch (state) {
    case "ready":
      return ready();
    case "failed":
      // A stalled controller doesn't try again before the object changes.
      return judgeByKstatus(object)?.state === "failed"
        ? failed(reason)
        : { state, why: reason, isRetried: true };
    case "suspended":
      return suspended(reason);
    case "progressing":
      if (isObserved(object) === false || !hasStatusFields(object)) return notObserved(reason);
      return isConditionFalse(object)
        ? { state: "waiting", why: reason, isRetried: true }
        : waiting(reason);
    case "unknown":
      if (isReported) return waiting(reason);
      return hasStatusFields(object) ? ready() : statusBeforeReport(firstStatus);
  }
}

/** Returns the status of an object whose kind has no rule and that has no status. */
function statusBeforeReport(firstStatus: StatusFacts["firstStatus"]): Status {
  switch (firstStatus) {
    case "awaited":
      return notObserved("its controller hasn't reported a status yet");
    case "overdue":
      return { state: "ready", notice: "its controller reported no status in time" };
    case undefined:
      return ready();
  }
}

function isConditionFalse(object: KubeObject): boolean {
  return ["Ready", "Available"].some((type) => findCondition(object, type)?.status === "False");
}

function hasStatusFields(object: KubeObject): boolean {
  return !isEmpty(at(object, "status") ?? {});
}

function spinAppStatusByHealth(object: KubeObject, facts: StatusFacts): Status {
  return spinAppStatus(object, facts, statusByHealth(object, facts));
}

type StatusRule = (object: KubeObject, facts: StatusFacts) => Status;

/**
 * Always ready: objects of these kinds only have to exist.
 * A PodDisruptionBudget over Pods without a scalable owner never gets its observedGeneration. An
 * autoscaler without metrics never gets its conditions. Their workloads still work.
 */
function alwaysReady(): Status {
  return ready();
}

/** Rules of kinds that need more than the object, or that a deployment only has to create. */
const statusRules: Readonly<Record<string, StatusRule>> = {
  "/Namespace": namespaceStatus,
  "/PersistentVolumeClaim": persistentVolumeClaimStatus,
  "/Pod": podStatus,
  "/ReplicationController": replicaSetStatus,
  "/ResourceQuota": resourceQuotaStatus,
  "/Service": serviceStatus,
  "apiextensions.k8s.io/CustomResourceDefinition": customResourceDefinitionStatus,
  "apps/DaemonSet": daemonSetStatus,
  "apps/Deployment": deploymentStatus,
  "apps/ReplicaSet": replicaSetStatus,
  "apps/StatefulSet": statefulSetStatus,
  "argoproj.io/Rollout": rolloutStatus,
  "autoscaling/HorizontalPodAutoscaler": alwaysReady,
  "batch/CronJob": statusByOptionalCondition,
  "networking.k8s.io/Ingress": statusByOptionalCondition,
  "batch/Job": jobStatus,
  "core.spinkube.dev/SpinApp": spinAppStatusByHealth,
  "core.spinoperator.dev/SpinApp": spinAppStatusByHealth,
  "policy/PodDisruptionBudget": alwaysReady,
};

/**
 * Judges one object for `qvs health`.
 * A health rule decides if there is one, also for kinds that a deployment only creates. Otherwise
 * code decides about the kinds of Kubernetes, and conventions about all others.
 */
export function judgeObject(object: KubeObject, health: HealthEvaluator, now: Date): Health {
  const kind = idOf(object);
  if (health.hasRule(kind) || !isBuiltInGroup(kind.group)) return health.judge(object);
  const status = computeStatus(object, { now, baseline: undefined, binding: "at once", health });
  const reason = status.state === "ready" ? (status.notice ?? "") : status.why;
  return { state: states[status.state], reason, isReported: true, rule: "built-in" };
}

const states: Readonly<Record<Status["state"], HealthState>> = {
  ready: "ready",
  waiting: "progressing",
  failed: "failed",
  suspended: "suspended",
};
