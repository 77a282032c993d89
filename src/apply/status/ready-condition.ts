import { numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Condition, condition, explain } from "./conditions.ts";
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
  if (!speaksOfNewestSpec(object, found)) {
    return waiting(`its ${found.type} condition is about an older generation`);
  }
  return found.status === "True" ? ready() : waiting(explain(found));
}

/**
 * External Secrets has no observedGeneration; it writes `<generation>-<hash>` to status.syncedResourceVersion
 * after each synchronisation.
 */
function speaksOfNewestSpec(object: KubeObject, found: Condition): boolean {
  const generation = numberAt(object, "metadata", "generation");
  if (generation === undefined) return true;
  if (found.observedGeneration !== undefined) return found.observedGeneration >= generation;
  const synced = textAt(object, "status", "syncedResourceVersion");
  return synced === undefined || synced.startsWith(`${generation}-`);
}
