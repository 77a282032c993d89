import { harmlessParts, quotesCommands } from "../../health/quoted-commands.ts";
import { type ProblemLine, problemLines } from "../../model/problems/problem-text.ts";
import { describeCancellation } from "../cancellation.ts";
import { containerText } from "../readiness/status/pod-status.ts";
import { type ApplyResult, type Failure, failureDetail, toProblem } from "../summarize-run.ts";
import type { FailureEvidence, PodEvidence } from "./evidence.ts";

/**
 * Describes a failed deployment to the user: errors with evidence, current state and ways back.
 */
export function describeFailures(
  result: ApplyResult,
  rollbackAdvice: readonly string[] = [],
): string {
  if (result.succeeded) return "";
  const { failures, stopped, stillServing } = result;
  const parts = [
    ...failures.map(failureLines),
    stopped === undefined ? [] : [capitalize(describeCancellation(stopped))],
    // The progress output has already reported the counts.
    titledLines("Current state", stillServing),
    titledLines("Next steps", [...(failures.length === 0 ? [rerunAdvice] : []), ...rollbackAdvice]),
  ];
  const shown = parts.filter((lines) => lines.length > 0);
  return shown.map((lines) => lines.join("\n")).join("\n\n");
}

const rerunAdvice = "Run again: the next run continues from the current state of the cluster";

/** Returns the lines of an error, with the evidence in front of the help. */
function failureLines(failure: Failure): readonly string[] {
  const { resource, evidence } = failure;
  const { facts = [], ...problem } = toProblem(failure);
  const origin = resource === undefined ? [] : [{ label: "resource", value: resource }];
  const lines = problemLines({ ...problem, facts: [...origin, ...facts] }, "error");
  const found = evidence === undefined ? [] : describeEvidence(evidence, failureDetail(failure));
  return [
    ...lines.filter((line) => !isHelp(line)).map(({ text }) => text),
    ...(found.length === 0 ? [] : ["  evidence:", ...found.map((line) => `    ${line}`)]),
    ...lines.filter(isHelp).map(({ text }) => text),
  ];
}

function isHelp({ part }: ProblemLine): boolean {
  return part === "help" || part === "paste";
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function titledLines(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

/**
 * Formats evidence as lines of text, the line nearest to the cause first.
 * It skips evidence that the sentence above already contains.
 */
export function describeEvidence(evidence: FailureEvidence, summary = ""): readonly string[] {
  const pods = describePods(evidence.pods, summary);
  return [
    ...pods,
    ...(pods.length === 0 ? [] : describeOtherPods(evidence)),
    ...evidence.conditions
      .filter((condition) => !isConditionInSummary(condition, summary))
      .map((condition) => `condition ${condition}`),
    ...newWarnings(evidence).map(
      ({ about, reason, message, count }) =>
        `event on ${about}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ""}`,
    ),
  ];
}

/**
 * Returns the events that add information to the lines above.
 * Most events only repeat the message of a Pod or a condition, or the reason.
 */
function newWarnings({ warnings, pods, conditions }: FailureEvidence): FailureEvidence["warnings"] {
  const shown = [
    ...conditions,
    ...pods.flatMap((pod) => [pod.scheduler ?? "", ...pod.containers.map((c) => c.message)]),
  ];
  const known = shown.map(normalizeMessage);
  return warnings.filter(
    ({ message }) =>
      !pullReasonEvent.test(message) &&
      !known.some((text) => text.includes(normalizeMessage(message))),
  );
}

/** The message of an event that the kubelet adds to the event with the actual failure. */
const pullReasonEvent = /^Error: (?:ErrImagePull|ImagePullBackOff)$/;

/**
 * Removes the parts that differ between two attempts of a controller, such as Pod names.
 * Since Kubernetes 1.32, the state of a container contains the error of the pull without this
 * start (pkg/kubelet/images/image_manager.go).
 */
function normalizeMessage(text: string): string {
  return text
    .replace(/^\(combined from similar events\): /, "")
    .replace(/^Error creating: /, "")
    .replace(/^Failed to pull image "[^"]*": /, "")
    .replaceAll(/"[^"]*"/g, '""');
}

/** Describes the Pods. Replicas fail in the same way, so the text of the first isn't repeated. */
function describePods(pods: readonly PodEvidence[], summary: string): readonly string[] {
  const names = new Map<string, string>();
  return pods.flatMap((pod) => {
    const [first = "", ...details] = describePod(pod);
    const same = names.get(details.join("\n"));
    if (same !== undefined && details.length > 0) return [`${first}, the same as ${same}`];
    names.set(describeState(pod).join("\n"), pod.name);
    return isPodInSummary(pod, summary) ? [] : [first, ...details];
  });
}

/**
 * Reports whether the sentence above contains the message of a condition.
 * A reason without a message says little without the name of its condition.
 */
function isConditionInSummary(condition: string, summary: string): boolean {
  const reason = condition.replace(/^[^\s=]+=\S+ /, "");
  return reason.includes(": ") && summary.includes(reason);
}

function isPodInSummary(pod: PodEvidence, summary: string): boolean {
  const state = describeState(pod).map((line) => line.trim());
  const isWhole = state.length > 0 && state.every((line) => summary.includes(line));
  return isWhole && summary.includes(pod.name) && Object.keys(pod.logs).length === 0;
}

/**
 * Returns the evidence that can appear outside the run's log.
 * The output of a program can contain anything, including secrets. So can its arguments.
 */
export function publishableEvidence(evidence: FailureEvidence): FailureEvidence {
  return {
    ...evidence,
    pods: evidence.pods.map((pod) => ({ ...pod, logs: {} })),
    warnings: evidence.warnings.map((warning) =>
      quotesCommands(warning.reason, warning.message)
        ? { ...warning, message: harmlessParts(warning.message) }
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
      // The prefix protects the runner: it treats a line that starts with `::` as a command.
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

function describeOtherPods({ pods, podCount }: FailureEvidence): readonly string[] {
  const rest = podCount - pods.length;
  return pods.length > 0 && rest > 0 ? [`and ${rest} other ${rest === 1 ? "Pod" : "Pods"}`] : [];
}
