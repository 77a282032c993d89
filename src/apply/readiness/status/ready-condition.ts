import type { KubeObject } from "../../../model/object.ts";
import { type Condition, condition, explain, speaksOfNewestSpec } from "./conditions.ts";
import { notObserved, ready, type Status, waiting } from "./status.ts";

/**
 * Checks an unknown kind by its condition Ready or Available. Without one, it only has to exist.
 */
export function ifItHasACondition(object: KubeObject): Status {
  const found = condition(object, "Ready") ?? condition(object, "Available");
  return found === undefined ? ready() : statusFrom(object, found);
}

/**
 * Checks a kind whose controller always sets the condition Ready.
 * Without the condition, the controller hasn't processed the object yet.
 */
export function onceItHasACondition(object: KubeObject): Status {
  return onceItHas("Ready", object);
}

/**
 * Checks an APIService. The aggregator always sets its condition Available, at once if it is local.
 */
export function onceItIsAvailable(object: KubeObject): Status {
  return onceItHas("Available", object);
}

function onceItHas(type: string, object: KubeObject): Status {
  const found = condition(object, type);
  return found === undefined
    ? notObserved(`its controller has not reported the condition ${type} yet`)
    : statusFrom(object, found);
}

/**
 * Computes the status from a condition. False isn't final, because a controller can retry.
 * Only the timeout makes it a failure.
 */
function statusFrom(object: KubeObject, found: Condition): Status {
  if (!speaksOfNewestSpec(object, found)) return waitingForNews(found);
  return found.status === "True" ? ready() : waiting(explain(found));
}

export function waitingForNews(found: Condition): Status {
  return waiting(`its ${found.type} condition is about an older generation`);
}
