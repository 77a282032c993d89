import type { HealthEvaluator } from "../../../health/evaluator.ts";
import type { Health, HealthState } from "../../../health/rule.ts";
import { isBuiltInGroup } from "../../../model/cluster/built-in-groups.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import { computeStatus, isCorrected } from "./compute-status.ts";
import type { Status } from "./conditions.ts";

/**
 * Judges one object for `qvs health`.
 * A health rule decides if there is one, also for kinds that a deployment only creates. Otherwise
 * code decides about the kinds of Kubernetes, and conventions about all others. If code corrects a
 * rule for deployments, it also corrects it here.
 */
export function judgeObject(object: KubeObject, health: HealthEvaluator, now: Date): Health {
  const kind = idOf(object);
  const isByRule = health.hasRule(kind) || !isBuiltInGroup(kind.group);
  const judged = isByRule ? health.judge(object) : undefined;
  if (judged !== undefined && !isCorrected(kind, health)) return judged;
  const status = computeStatus(object, { now, baseline: undefined, binding: "at once", health });
  const state = states[status.state];
  if (judged?.state === state) return judged;
  const reason = status.state === "ready" ? (status.notice ?? "") : status.why;
  return { state, reason, isReported: true, rule: judged?.rule ?? "built-in" };
}

const states: Readonly<Record<Status["state"], HealthState>> = {
  ready: "ready",
  waiting: "progressing",
  failed: "failed",
  suspended: "suspended",
};
