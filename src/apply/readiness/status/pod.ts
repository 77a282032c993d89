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
  const hopeless = containersOf(object).find((c) => hopelessReasons.has(c.waitingFor));
  if (hopeless !== undefined) return failed(containerText(hopeless));
  return schedulingStatus(object, facts) ?? waiting(podWaitingText(object) ?? phase);
}

/** Why a Pod is not ready yet: the scheduler's word first, then that of its containers. */
export function podWaitingText(pod: KubeObject): string | undefined {
  const scheduled = condition(pod, "PodScheduled");
  if (scheduled?.status === "False") return explain(scheduled);
  const troubled = containersOf(pod).find((c) => c.waitingFor !== "" || c.exitCode !== undefined);
  if (troubled !== undefined) return containerText(troubled);
  const running = condition(pod, "Ready");
  return running?.status === "False" ? explain(running) : undefined;
}

/** Reasons of a waiting container that time alone will not cure. */
const hopelessReasons: ReadonlySet<string> = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
]);

/** New nodes and volumes take a moment, so the scheduler's first refusal is not its last word. */
const schedulingGraceMs = 15_000;

function schedulingStatus(object: KubeObject, { now, before }: Facts): Status | undefined {
  const scheduled = condition(object, "PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
  // Since a change of this run, its own clock tells the age: that of the cluster may be another.
  const since =
    before?.at.getTime() ?? Date.parse(textAt(object, "metadata", "creationTimestamp") ?? "");
  const patient = Number.isNaN(since) || now.getTime() - since <= schedulingGraceMs;
  return patient ? waiting(explain(scheduled)) : failed(explain(scheduled));
}

function failureText(object: KubeObject): string {
  const exited = containersOf(object).find((c) => (c.exitCode ?? 0) !== 0);
  if (exited !== undefined) return containerText(exited);
  const said = ["reason", "message"].map((field) => textAt(object, "status", field));
  return said.filter((text) => text !== undefined).join(": ") || "phase Failed";
}
