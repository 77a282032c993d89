import { finalizersOfOthers } from "../../../model/cluster/finalizers.ts";
import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { condition, explain, isTrue } from "./conditions.ts";
import { containersOf, containerText } from "./containers.ts";
import { type Facts, failed, ready, type Status, waiting } from "./status.ts";

/** A bare Pod: nothing replaces it, so what its container can't recover from by itself is a failure at once. */
export function podStatus(object: KubeObject, facts: Facts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Succeeded") return ready();
  if (phase === "Failed") return failed(failureText(object));
  if (isTrue(object, "Ready")) return ready();
  const permanent = containersOf(object).find((c) => permanentReasons.has(c.waitingFor));
  if (permanent !== undefined) return failed(containerText(permanent));
  return schedulingStatus(object, facts) ?? waiting(podWaitingText(object) ?? phase);
}

/** Says why a Pod is not ready or not gone yet: finalizers of others first, then the scheduler's reason, then its containers'. */
export function podWaitingText(pod: KubeObject): string | undefined {
  const held = heldText(pod);
  if (held !== undefined) return held;
  const scheduled = condition(pod, "PodScheduled");
  if (scheduled?.status === "False") return explain(scheduled);
  const unready = containersOf(pod).find((c) => c.waitingFor !== "" || c.exitCode !== undefined);
  if (unready !== undefined) return containerText(unready);
  const running = condition(pod, "Ready");
  return running?.status === "False" ? explain(running) : undefined;
}

/** A Pod that stays after its deletion keeps its controller from making another one. */
function heldText(pod: KubeObject): string | undefined {
  const since = textAt(pod, "metadata", "deletionTimestamp");
  const finalizers = since === undefined ? [] : finalizersOfOthers(pod);
  return finalizers.length === 0
    ? undefined
    : `terminating since ${since}, held by the finalizers ${finalizers.join(", ")}`;
}

/** Reasons of a waiting container that waiting alone does not fix. */
const permanentReasons: ReadonlySet<string> = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
]);

/** New nodes and volumes take a moment, so the scheduler's first refusal is not final. */
const schedulingGraceMs = 15_000;

function schedulingStatus(object: KubeObject, { now, before }: Facts): Status | undefined {
  const scheduled = condition(object, "PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
  // After a change of this run, its own clock measures the age: the cluster's clock may differ.
  const since =
    before?.at.getTime() ?? Date.parse(textAt(object, "metadata", "creationTimestamp") ?? "");
  const withinGrace = Number.isNaN(since) || now.getTime() - since <= schedulingGraceMs;
  return withinGrace ? waiting(explain(scheduled)) : failed(explain(scheduled));
}

function failureText(object: KubeObject): string {
  const exited = containersOf(object).find((c) => (c.exitCode ?? 0) !== 0);
  if (exited !== undefined) return containerText(exited);
  const texts = ["reason", "message"].map((field) => textAt(object, "status", field));
  return texts.filter((text) => text !== undefined).join(": ") || "phase Failed";
}
