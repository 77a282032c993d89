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

/** Argo Rollouts computes its own phase, which its users know. */
export function rolloutStatus(object: KubeObject, facts: Facts): Status {
  const invalid = condition(object, "InvalidSpec");
  if (invalid?.status === "True") {
    // What it names may have been created or changed just now, or it itself: the controller checks again.
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

/** How long a controller may take from a new generation to its template, or to check again what it found invalid. */
const betweenBothMs = 60_000;

/**
 * Whether it was paused before its template changed. The controller writes the new generation beside the old pause before it begins with
 * the new template (tried: a preview that nobody has promoted, and the next image). A template that means the same begins nothing.
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

/** Whether it was found invalid before this run changed it, or a Service or the like that it names. */
function isOldFlaw(invalid: Condition, facts: Facts): boolean {
  return isRepeated(invalid, facts, ["message", "since"], betweenBothMs);
}

/** A template of another object (`workloadRef`) changes without this one: the generation that is meant is in an annotation. */
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

/** Pauses that the strategy asks for, after which a person or a timer promotes. */
const plannedPauses: ReadonlySet<string> = new Set(["BlueGreenPause", "CanaryPauseStep"]);

/** An inconclusive analysis pauses, too, but unplanned: it is waited for, and fails with the timeout. */
function pauseStatus(object: KubeObject, message: string): Status {
  const reasons = listAt(object, "status", "pauseConditions").map((p) => textAt(p, "reason") ?? "");
  const reason = reasons.find((r) => r !== "") ?? (message || "paused");
  const planned = reasons.length > 0 && reasons.every((r) => plannedPauses.has(r));
  return planned
    ? suspended(`paused as planned (${reason}): promote it to continue`)
    : waiting(`paused: ${reason}`);
}
