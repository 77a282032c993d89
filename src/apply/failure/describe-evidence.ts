import { containerText } from "../readiness/status/containers.ts";
import { inFixedWords, quotesCommands } from "../readiness/status/quoted-commands.ts";
import type { Evidence, PodEvidence } from "./evidence.ts";

/** Evidence as lines of text, the nearest to the cause first. What `told` says already, the sentence above it, is not said again. */
export function describeEvidence(evidence: Evidence, told = ""): readonly string[] {
  const pods = describePods(evidence.pods, told);
  return [
    ...pods,
    ...(pods.length === 0 ? [] : unmentioned(evidence)),
    ...evidence.conditions
      .filter((condition) => !isToldCondition(condition, told))
      .map((condition) => `condition ${condition}`),
    ...newWarnings(evidence).map(
      ({ about, reason, message, count }) =>
        `event on ${about}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ""}`,
    ),
  ];
}

/** The events that add something to the lines above: most only repeat a Pod's or a condition's own message, or the reason alone. */
function newWarnings({ warnings, pods, conditions }: Evidence): Evidence["warnings"] {
  const shown = [
    ...conditions,
    ...pods.flatMap((pod) => [pod.scheduler ?? "", ...pod.containers.map((c) => c.message)]),
  ];
  const known = shown.map(inGeneral);
  return warnings.filter(
    ({ message }) =>
      !isReasonOfPull.test(message) && !known.some((text) => text.includes(inGeneral(message))),
  );
}

/** What the kubelet adds to an event that says what has failed. */
const isReasonOfPull = /^Error: (?:ErrImagePull|ImagePullBackOff)$/;

/** Without what differs from one try of a controller to the next: the names of the Pods that it tried to make. */
function inGeneral(text: string): string {
  return text
    .replace(/^\(combined from similar events\): /, "")
    .replace(/^Error creating: /, "")
    .replaceAll(/"[^"]*"/g, '""');
}

/** Replicas fail in the same way: the text of the first one is not repeated for the others. */
function describePods(pods: readonly PodEvidence[], told: string): readonly string[] {
  const names = new Map<string, string>();
  return pods.flatMap((pod) => {
    const [first = "", ...details] = describePod(pod);
    const same = names.get(details.join("\n"));
    if (same !== undefined && details.length > 0) return [`${first}, the same as ${same}`];
    names.set(describeState(pod).join("\n"), pod.name);
    return isTold(pod, told) ? [] : [first, ...details];
  });
}

/** One that has a message; a reason alone says little without the name of the condition. */
function isToldCondition(condition: string, told: string): boolean {
  const reason = condition.replace(/^[^\s=]+=\S+ /, "");
  return reason.includes(": ") && told.includes(reason);
}

function isTold(pod: PodEvidence, told: string): boolean {
  const state = describeState(pod).map((line) => line.trim());
  const isWhole = state.length > 0 && state.every((line) => told.includes(line));
  return isWhole && told.includes(pod.name) && Object.keys(pod.logs).length === 0;
}

/**
 * The evidence that may be shown outside of the run's log: the output of a program may contain anything, also its
 * secrets, and so may its arguments.
 */
export function toPublish(evidence: Evidence): Evidence {
  return {
    ...evidence,
    pods: evidence.pods.map((pod) => ({ ...pod, logs: {} })),
    warnings: evidence.warnings.map((warning) =>
      quotesCommands(warning.reason, warning.message)
        ? { ...warning, message: inFixedWords(warning.message) }
        : warning,
    ),
  };
}

function describePod(pod: PodEvidence): readonly string[] {
  return [
    `Pod ${pod.name}: ${pod.phase}`,
    ...describeState(pod),
    ...Object.entries(pod.logs).flatMap(([container, log]) => [
      `  last log lines of container ${container}:`,
      // No line may begin with what a program wrote: a runner would take `::` there for a command.
      ...log.split(/\r\n|\r|\n/).map((line) => `    | ${line}`),
    ]),
  ];
}

function describeState(pod: PodEvidence): readonly string[] {
  const unready = pod.containers.filter((c) => c.waitingFor !== "" || c.exitCode !== undefined);
  return [
    ...(pod.scheduler === undefined ? [] : [`  scheduler: ${pod.scheduler}`]),
    ...unready.map((container) => `  ${withImage(containerText(container), container.image)}`),
  ];
}

function withImage(text: string, image: string): string {
  return text.includes(image) ? text : `${text} (image ${image})`;
}

function unmentioned({ pods, podCount }: Evidence): readonly string[] {
  const rest = podCount - pods.length;
  return pods.length > 0 && rest > 0 ? [`and ${rest} other ${rest === 1 ? "Pod" : "Pods"}`] : [];
}
