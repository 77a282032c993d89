import {
  explainCondition,
  findCondition,
  isObserved,
  type StatusCondition,
} from "../../../health/conditions.ts";
import { at, listAt, sameJson, textAt } from "../../../model/json.ts";
import { annotation, type KubeObject } from "../../../model/object.ts";
import {
  failed,
  isStaleCondition,
  isUnchangedCondition,
  notObserved,
  ready,
  type Status,
  type StatusFacts,
  suspended,
  waiting,
} from "./conditions.ts";
import { countsText, desiredReplicas } from "./workload-status.ts";

/** Computes the status from the phase that Argo Rollouts sets, because its users know it. */
export function rolloutStatus(object: KubeObject, facts: StatusFacts): Status {
  const invalid = findCondition(object, "InvalidSpec");
  if (invalid?.status === "True") {
    // The Rollout or an object that it references might be new. The controller checks again.
    const why = explainCondition(invalid);
    return / not found$/.test(why) || isStaleInvalidSpec(invalid, facts)
      ? waiting(why)
      : failed(why);
  }
  if (!isObserved(object)) return notObserved();
  if (!hasObservedTemplate(object)) return unobservedTemplate;
  if (at(object, "spec", "paused") === true) return suspended("paused by spec.paused");
  const message = textAt(object, "status", "message") ?? "";
  switch (textAt(object, "status", "phase")) {
    case "Healthy":
      return ready();
    case "Degraded":
      return degradedStatus(object, message, facts);
    case "Paused":
      return isStalePause(object, facts) ? unobservedTemplate : pauseStatus(object, message);
    default:
      return waiting(
        [progressText(object), message].filter((t) => t !== "").join("; "),
        message === "" ? undefined : "refused",
      );
  }
}

const unobservedTemplate = waiting("its controller hasn't observed its template yet");

/**
 * The maximum time that a controller takes from a new generation to its template.
 * It is also the maximum time until the controller checks an invalid object again.
 */
const maxObservationMs = 60_000;

/**
 * Reports whether a Rollout was paused before its template changed.
 * The controller writes the new generation while the old pause is still in the status (tried: a
 * preview without promotion, and the next image). It starts with the new template after that. A
 * template with the same meaning starts no rollout.
 */
function isStalePause(object: KubeObject, { now, baseline }: StatusFacts): boolean {
  if (baseline?.objectBeforeRun === undefined) return false;
  const template = (each: KubeObject) => at(each, "spec", "template");
  const version = (each: KubeObject) => textAt(each, "status", "currentPodHash");
  return (
    !sameJson(template(baseline.objectBeforeRun), template(object)) &&
    version(baseline.object) === version(object) &&
    now.getTime() - baseline.at.getTime() < maxObservationMs
  );
}

/**
 * Reports whether the error is older than this run's change.
 * The run might have changed the Rollout, or a dependency such as a Service.
 */
function isStaleInvalidSpec(invalid: StatusCondition, facts: StatusFacts): boolean {
  return isUnchangedCondition(invalid, facts, ["message", "since"], maxObservationMs);
}

/**
 * Reports whether the controller has seen the newest template.
 * A template of another object (`workloadRef`) can change without this one. An annotation contains
 * the expected generation.
 */
function hasObservedTemplate(object: KubeObject): boolean {
  const expected = annotation(object, "rollout.argoproj.io/workload-generation");
  if (expected === undefined || at(object, "spec", "workloadRef") === undefined) return true;
  return textAt(object, "status", "workloadObservedGeneration") === expected;
}

function progressText(object: KubeObject): string {
  return countsText(object, desiredReplicas(object));
}

function degradedStatus(object: KubeObject, message: string, facts: StatusFacts): Status {
  const progressing = findCondition(object, "Progressing");
  if (progressing !== undefined && isStaleCondition(object, progressing, facts)) {
    return waiting(progressText(object));
  }
  return failed(message === "" ? "Degraded" : `Degraded: ${message}`);
}

/** Pauses that the strategy declares. A user or a timer promotes the rollout after them. */
const plannedPauses: ReadonlySet<string> = new Set(["BlueGreenPause", "CanaryPauseStep"]);

/**
 * Computes the status of a paused rollout.
 * An inconclusive analysis is an unplanned pause: qvs waits for it until the timeout.
 */
function pauseStatus(object: KubeObject, message: string): Status {
  const reasons = listAt(object, "status", "pauseConditions").map((p) => textAt(p, "reason") ?? "");
  const reason = reasons.find((r) => r !== "") ?? (message || "paused");
  const planned = reasons.length > 0 && reasons.every((r) => plannedPauses.has(r));
  return planned
    ? suspended(`paused as planned (${reason}): promote it to continue`)
    : waiting(`paused: ${reason}`);
}
