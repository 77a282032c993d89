import type { KubeObject } from "../../../model/object.ts";
import { type Condition, condition, explain, speaksOfNewestSpec } from "./conditions.ts";
import { notObserved, ready, type Status, waiting } from "./status.ts";

/** Unknown kinds: a Ready or Available condition decides; without one the object only has to exist. */
export function ifItHasACondition(object: KubeObject): Status {
  const found = condition(object, "Ready") ?? condition(object, "Available");
  return found === undefined ? ready() : statusFrom(object, found);
}

/** Kinds whose controller always sets a Ready condition: until it exists, the controller has not processed the object. */
export function onceItHasACondition(object: KubeObject): Status {
  return onceItHas("Ready", object);
}

/** An APIService always gets an Available condition from the aggregator, a local one at once. */
export function onceItIsAvailable(object: KubeObject): Status {
  return onceItHas("Available", object);
}

function onceItHas(type: string, object: KubeObject): Status {
  const found = condition(object, type);
  return found === undefined
    ? notObserved(`its controller has not reported the condition ${type} yet`)
    : statusFrom(object, found);
}

/** A False is not final: a controller that retries may still succeed, so only the timeout makes it a failure. */
function statusFrom(object: KubeObject, found: Condition): Status {
  if (!speaksOfNewestSpec(object, found)) return waitingForNews(found);
  return found.status === "True" ? ready() : waiting(explain(found));
}

export function waitingForNews(found: Condition): Status {
  return waiting(`its ${found.type} condition is about an older generation`);
}
