import {
  explainCondition,
  findCondition,
  isConditionTrue,
  oneLine,
} from "../../../health/conditions.ts";
import { harmlessParts, quotesCommands } from "../../../health/quoted-commands.ts";
import { customFinalizers } from "../../../model/cluster/pending-deletion.ts";
import { isFinishedPod } from "../../../model/cluster/pods.ts";
import { type Json, listAt, numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import {
  failed,
  failedForGood,
  ready,
  type Status,
  type StatusFacts,
  waiting,
} from "./conditions.ts";

/** A Pod's report on one of its containers. */
export interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly running: boolean;
  /** The reason of the waiting state, such as ImagePullBackOff. Empty if it isn't waiting. */
  readonly waitingFor: string;
  readonly message: string;
  /** The exit code of the last ended run. Undefined if none has ended. */
  readonly exitCode: number | undefined;
  /** The reason of the exit, such as OOMKilled or Error. */
  readonly exitReason: string;
  readonly restarts: number;
}

/** Lists the containers of a Pod. Init containers are first, as they run first. */
export function readContainerStates(pod: KubeObject): readonly ContainerState[] {
  const lists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];
  return lists.flatMap((list) => listAt(pod, "status", list).map(readContainer));
}

/**
 * Formats a container: `container web: CrashLoopBackOff: back-off 10s …, exit code 1 (Error), 4
 * restarts`.
 */
export function containerText(container: ContainerState): string {
  const parts = [[container.waitingFor, container.message].filter((t) => t !== "").join(": ")];
  if (container.exitCode !== undefined) {
    const reason = container.exitReason === "" ? "" : ` (${container.exitReason})`;
    parts.push(`exit code ${container.exitCode}${reason}`);
  }
  if (container.restarts > 0) parts.push(`${container.restarts} restarts`);
  return `container ${container.name}: ${parts.filter((part) => part !== "").join(", ")}`;
}

function readContainer(status: Json): ContainerState {
  const ended = ["state", "lastState"].find(
    (s) => numberAt(status, s, "terminated", "exitCode") !== undefined,
  );
  const end = ended === undefined ? [] : [ended, "terminated"];
  const waitingFor = textAt(status, "state", "waiting", "reason") ?? "";
  const message = textAt(status, "state", "waiting", "message") ?? "";
  return {
    name: textAt(status, "name") ?? "",
    image: textAt(status, "image") ?? "",
    running: textAt(status, "state", "running", "startedAt") !== undefined,
    waitingFor,
    message: quotesCommands(waitingFor, message) ? harmlessParts(message) : oneLine(message),
    exitCode: ended === undefined ? undefined : numberAt(status, ...end, "exitCode"),
    exitReason: ended === undefined ? "" : (textAt(status, ...end, "reason") ?? ""),
    restarts: numberAt(status, "restartCount") ?? 0,
  };
}

/**
 * Computes the status of a bare Pod.
 * No controller replaces it. An error that its container can't recover from is a failure at once.
 */
export function podStatus(object: KubeObject, facts: StatusFacts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Succeeded") return ready();
  if (phase === "Failed") return failedForGood(failureText(object));
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
 * Describes the failure of a Pod's container that the kubelet retries: a crash, or an image that
 * can't be pulled. Undefined while the container runs.
 */
export function retriedFailure(pod: KubeObject): string | undefined {
  const hasEnded = isFinishedPod(pod);
  const isDeleted = textAt(pod, "metadata", "deletionTimestamp") !== undefined;
  if (hasEnded || isDeleted || isConditionTrue(pod, "Ready")) return undefined;
  const failing = readContainerStates(pod).find(isFailing);
  return failing === undefined ? undefined : containerText(failing);
}

function isFailing({ waitingFor, running, exitCode }: ContainerState): boolean {
  const isDown = !running && waitingFor === "" && (exitCode ?? 0) !== 0;
  return isDown || permanentReasons.has(waitingFor) || retriedReasons.has(waitingFor);
}

/** Waiting reasons of a failed attempt that the kubelet repeats, before it backs off. */
const retriedReasons: ReadonlySet<string> = new Set([
  ...["ErrImagePull", "ImageInspectError", "RegistryUnavailable"],
  ...["CreateContainerConfigError", "CreateContainerError", "RunContainerError"],
]);

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
