import type { KubeObject } from "../../../model/object.ts";
import { type Condition, condition, explain, speaksOfNewestSpec } from "./conditions.ts";
import { ready, type Status, waiting } from "./status.ts";

/** Kinds of which nothing is known: a Ready or Available condition is believed, its absence means that there is none. */
export function ifItHasACondition(object: KubeObject): Status {
  const found = condition(object, "Ready") ?? condition(object, "Available");
  return found === undefined ? ready() : judge(object, found);
}

/** Kinds whose controller always sets a Ready condition: until it is there, the controller has not looked. */
export function onceItHasACondition(object: KubeObject): Status {
  const found = condition(object, "Ready");
  return found === undefined
    ? waiting("its controller has not reported a Ready condition yet")
    : judge(object, found);
}

/** A False is not final: a controller that retries may still succeed, so only the timeout makes it a failure. */
function judge(object: KubeObject, found: Condition): Status {
  if (!speaksOfNewestSpec(object, found)) return waitingForNews(found);
  return found.status === "True" ? ready() : waiting(explain(found));
}

export function waitingForNews(found: Condition): Status {
  return waiting(`its ${found.type} condition is about an older generation`);
}
