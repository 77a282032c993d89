import type { HealthEvaluator } from "../../../health/evaluator.ts";
import type { Health, HealthState } from "../../../health/rule.ts";
import { isBuiltInGroup } from "../../../model/cluster/built-in-groups.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import { computeStatus } from "./compute-status.ts";
import type { Status } from "./conditions.ts";

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
