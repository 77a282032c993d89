import { computeStatus } from "../../apply/readiness/status/compute-status.ts";
import type { HealthEvaluator } from "../../health/evaluator.ts";
import { declaresSuspension } from "../../model/cluster/suspension.ts";
import { type GroupKind, hasStatus, kindKey } from "../../model/kinds.ts";
import { readWaitPolicy } from "../../model/wait-policy.ts";
import type { DeploymentObject } from "./permit.ts";

/** Reports whether the object isn't ready at once when qvs writes it. */
export function isInitiallyUnready(
  { object }: Pick<DeploymentObject, "object">,
  health: HealthEvaluator,
): boolean {
  const facts = { now: new Date(0), baseline: undefined, binding: "unknown", health } as const;
  return (
    object !== undefined &&
    readWaitPolicy(object).isAwaited &&
    computeStatus(object, { ...facts, suspends: declaresSuspension(object) }).state === "waiting"
  );
}

/** Reports whether an object of this kind can exist without being ready. */
export function canBeUnready(kind: GroupKind): boolean {
  return hasStatus(kind) || awaitedWithoutStatus.has(kindKey(kind));
}

/** Kinds without a status for which roles still grant the permissions to wait. */
const awaitedWithoutStatus: ReadonlySet<string> = new Set(["/Endpoints", "/LimitRange"]);
