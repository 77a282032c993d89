import { at, listAt, sameJson, textAt } from "../../../model/json.ts";
import { annotation, type KubeObject } from "../../../model/object.ts";
import { isFromBefore, isRepeated } from "./before-the-change.ts";
import { type Condition, condition, explain } from "./conditions.ts";
import { countsText, desiredReplicas } from "./replicas.ts";
import {
  type Facts,
  failed,
  isObserved,
  notObserved,
  ready,
  type Status,
  suspended,
  waiting,
} from "./status.ts";

/** Computes the status from the phase that Argo Rollouts sets, because its users know it. */
export function rolloutStatus(object: KubeObject, facts: Facts): Status {
  const invalid = condition(object, "InvalidSpec");
  if (invalid?.status === "True") {
    // The Rollout or an object that it references might be new. The controller checks again.
    const why = explain(invalid);
    return / not found$/.test(why) || isOldFlaw(invalid, facts) ? waiting(why) : failed(why);
  }
  if (!isObserved(object)) return notObserved();
  if (!hasSeenTemplate(object)) return unseenTemplate;
  if (at(object, "spec", "paused") === true) return suspended("paused by spec.paused");
  const message = textAt(object, "status", "message") ?? "";
  switch (textAt(object, "status", "phase")) {
    case "Healthy":
      return ready();
    case "Degraded":
      return degradedStatus(object, message, facts);
    case "Paused":
      return isOldPause(object, facts) ? unseenTemplate : pauseStatus(object, message);
    default:
      return waiting(
        [progressText(object), message].filter((t) => t !== "").join("; "),
        message === "" ? undefined : "refused",
      );
  }
}

const unseenTemplate = waiting("its controller has not observed its template yet");

/**
 * The maximum time that a controller takes from a new generation to its template.
 * It is also the maximum time until the controller checks an invalid object again.
 */
const betweenBothMs = 60_000;

/**
 * Reports whether a Rollout was paused before its template changed.
 * The controller writes the new generation while the old pause is still in the status (tried: a
 * preview without promotion, and the next image). It starts with the new template after that. A
 * template with the same meaning starts no rollout.
 */
function isOldPause(object: KubeObject, { now, before }: Facts): boolean {
  if (before?.earlier === undefined) return false;
  const template = (each: KubeObject) => at(each, "spec", "template");
  const version = (each: KubeObject) => textAt(each, "status", "currentPodHash");
  return (
    !sameJson(template(before.earlier), template(object)) &&
    version(before.object) === version(object) &&
    now.getTime() - before.at.getTime() < betweenBothMs
  );
}

/**
 * Reports whether the error is older than this run's change.
 * The run might have changed the Rollout, or a dependency such as a Service.
 */
function isOldFlaw(invalid: Condition, facts: Facts): boolean {
  return isRepeated(invalid, facts, ["message", "since"], betweenBothMs);
}

/**
 * Reports whether the controller has seen the newest template.
 * A template of another object (`workloadRef`) can change without this one. An annotation contains
 * the expected generation.
 */
function hasSeenTemplate(object: KubeObject): boolean {
  const meant = annotation(object, "rollout.argoproj.io/workload-generation");
  if (meant === undefined || at(object, "spec", "workloadRef") === undefined) return true;
  return textAt(object, "status", "workloadObservedGeneration") === meant;
}

function progressText(object: KubeObject): string {
  return countsText(object, desiredReplicas(object));
}

function degradedStatus(object: KubeObject, message: string, facts: Facts): Status {
  const progressing = condition(object, "Progressing");
  if (progressing !== undefined && isFromBefore(object, progressing, facts)) {
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
