import { customFinalizers } from "../../../model/cluster/finalizers.ts";
import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { explainCondition, findCondition, isConditionTrue } from "./conditions.ts";
import { containerText, readContainerStates } from "./containers.ts";
import { failed, ready, type Status, type StatusFacts, waiting } from "./status.ts";

/**
 * Computes the status of a bare Pod.
 * No controller replaces it. An error that its container can't recover from is a failure at once.
 */
export function podStatus(object: KubeObject, facts: StatusFacts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Succeeded") return ready();
  if (phase === "Failed") return failed(failureText(object));
  if (isConditionTrue(object, "Ready")) return ready();
  const permanent = readContainerStates(object).find((c) => permanentReasons.has(c.waitingFor));
  if (permanent !== undefined) return failed(containerText(permanent));
  return schedulingStatus(object, facts) ?? waiting(podWaitingText(object) ?? phase);
}

/**
 * Explains why a Pod isn't ready or still exists.
 * Finalizers of other tools are first, then the scheduler's reason, then the reasons of its
 * containers.
 */
export function podWaitingText(pod: KubeObject): string | undefined {
  const finalizers = finalizersText(pod);
  if (finalizers !== undefined) return finalizers;
  const scheduled = findCondition(pod, "PodScheduled");
  if (scheduled?.status === "False") return explainCondition(scheduled);
  const unready = readContainerStates(pod).find(
    (c) => c.waitingFor !== "" || c.exitCode !== undefined,
  );
  if (unready !== undefined) return containerText(unready);
  const running = findCondition(pod, "Ready");
  return running?.status === "False" ? explainCondition(running) : undefined;
}

/**
 * Names the finalizers of a Pod that is being deleted.
 * Until that Pod is deleted, its controller can't create another one.
 */
function finalizersText(pod: KubeObject): string | undefined {
  const since = textAt(pod, "metadata", "deletionTimestamp");
  const finalizers = since === undefined ? [] : customFinalizers(pod);
  return finalizers.length === 0
    ? undefined
    : `terminating since ${since}, held by the finalizers ${finalizers.join(", ")}`;
}

/** Waiting reasons of a container that time alone doesn't fix. */
const permanentReasons: ReadonlySet<string> = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
]);

/**
 * The grace period of an unschedulable Pod.
 * New nodes and volumes take a moment, so the scheduler's first failure isn't final.
 */
const schedulingGraceMs = 15_000;

function schedulingStatus(object: KubeObject, { now, baseline }: StatusFacts): Status | undefined {
  const scheduled = findCondition(object, "PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
  // After a change, the age is measured by qvs's clock, because the cluster's clock might differ.
  const since =
    baseline?.at.getTime() ?? Date.parse(textAt(object, "metadata", "creationTimestamp") ?? "");
  const withinGrace = Number.isNaN(since) || now.getTime() - since <= schedulingGraceMs;
  return withinGrace ? waiting(explainCondition(scheduled)) : failed(explainCondition(scheduled));
}

function failureText(object: KubeObject): string {
  const exited = readContainerStates(object).find((c) => (c.exitCode ?? 0) !== 0);
  if (exited !== undefined) return containerText(exited);
  const texts = ["reason", "message"].map((field) => textAt(object, "status", field));
  return texts.filter((text) => text !== undefined).join(": ") || "phase Failed";
}
