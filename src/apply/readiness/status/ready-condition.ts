import type { KubeObject } from "../../../model/object.ts";
import {
  explainCondition,
  findCondition,
  isAboutCurrentGeneration,
  type StatusCondition,
} from "./conditions.ts";
import { notObserved, ready, type Status, waiting } from "./status.ts";

/**
 * Checks an unknown kind by its condition Ready or Available. Without one, it only has to exist.
 */
export function statusByOptionalCondition(object: KubeObject): Status {
  const found = findCondition(object, "Ready") ?? findCondition(object, "Available");
  return found === undefined ? ready() : conditionStatus(object, found);
}

/**
 * Checks a kind whose controller always sets the condition Ready.
 * Without the condition, the controller hasn't processed the object yet.
 */
export function statusByReadyCondition(object: KubeObject): Status {
  return statusByRequiredCondition("Ready", object);
}

/**
 * Checks an APIService. The aggregator always sets its condition Available, at once if it is local.
 */
export function statusByAvailableCondition(object: KubeObject): Status {
  return statusByRequiredCondition("Available", object);
}

function statusByRequiredCondition(type: string, object: KubeObject): Status {
  const found = findCondition(object, type);
  return found === undefined
    ? notObserved(`its controller hasn't reported the condition ${type} yet`)
    : conditionStatus(object, found);
}

/**
 * Computes the status from a condition. False isn't final, because a controller can retry.
 * Only the timeout makes it a failure.
 */
function conditionStatus(object: KubeObject, found: StatusCondition): Status {
  if (!isAboutCurrentGeneration(object, found)) return outdatedConditionStatus(found);
  return found.status === "True" ? ready() : waiting(explainCondition(found));
}

export function outdatedConditionStatus(found: StatusCondition): Status {
  return waiting(`its ${found.type} condition is about an older generation`);
}
