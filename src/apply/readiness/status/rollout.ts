import { at, listAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { isFromBefore } from "./before-the-change.ts";
import { condition, explain } from "./conditions.ts";
import { isObserved } from "./observed.ts";
import { countsText, replicasWanted } from "./replicas.ts";
import { type Facts, failed, ready, type Status, suspended, waiting } from "./status.ts";

/** Argo Rollouts computes a phase of its own, which is what its users go by. */
export function rolloutStatus(object: KubeObject, facts: Facts): Status {
  const invalid = condition(object, "InvalidSpec");
  if (invalid?.status === "True") {
    // What it names may have been made only just now: the controller looks again by itself.
    const why = explain(invalid);
    return / not found$/.test(why) ? waiting(why) : failed(why);
  }
  if (!isObserved(object)) return waiting("its controller has not seen it yet");
  if (at(object, "spec", "paused") === true) return suspended("paused by spec.paused");
  const said = textAt(object, "status", "message") ?? "";
  switch (textAt(object, "status", "phase")) {
    case "Healthy":
      return ready();
    case "Degraded":
      return degradedStatus(object, said, facts);
    case "Paused":
      return pauseStatus(object, said);
    default:
      return waiting([progressText(object), said].filter((t) => t !== "").join("; "));
  }
}

function progressText(object: KubeObject): string {
  return countsText(object, replicasWanted(object));
}

function degradedStatus(object: KubeObject, said: string, facts: Facts): Status {
  const progressing = condition(object, "Progressing");
  if (progressing !== undefined && isFromBefore(object, progressing, facts)) {
    return waiting(progressText(object));
  }
  return failed(said === "" ? "Degraded" : `Degraded: ${said}`);
}

/** Pauses that the strategy asks for, after which a person or a timer promotes. */
const plannedPauses: ReadonlySet<string> = new Set(["BlueGreenPause", "CanaryPauseStep"]);

/** An inconclusive analysis pauses too, but nobody planned it: it is waited for, and fails with the timeout. */
function pauseStatus(object: KubeObject, said: string): Status {
  const reasons = listAt(object, "status", "pauseConditions").map((p) => textAt(p, "reason") ?? "");
  const reason = reasons.find((r) => r !== "") ?? (said || "paused");
  const planned = reasons.every((r) => plannedPauses.has(r));
  return planned
    ? suspended(`paused as planned (${reason}): promote it to go on`)
    : waiting(`paused: ${reason}`);
}
