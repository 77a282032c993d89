import { containerText } from "../readiness/status/containers.ts";
import type { Evidence, PodEvidence } from "./evidence.ts";

/** Evidence as lines of text, the nearest to the cause first. */
export function describeEvidence(evidence: Evidence): readonly string[] {
  return [
    ...describePods(evidence.pods),
    ...unmentioned(evidence),
    ...evidence.conditions.map((condition) => `condition ${condition}`),
    ...news(evidence).map(
      ({ about, reason, message, count }) =>
        `event on ${about}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ""}`,
    ),
  ];
}

/** The events that say more than what stands above them: most only repeat what a Pod or a condition says itself. */
function news({ warnings, pods, conditions }: Evidence): Evidence["warnings"] {
  const said = [
    ...conditions,
    ...pods.flatMap((pod) => [pod.scheduler ?? "", ...pod.containers.map((c) => c.message)]),
  ];
  const known = said.map(inGeneral);
  return warnings.filter(({ message }) => !known.some((text) => text.includes(inGeneral(message))));
}

/** Without what differs from one try of a controller to the next: the names of the Pods that it tried to make. */
function inGeneral(text: string): string {
  return text
    .replace(/^\(combined from similar events\): /, "")
    .replace(/^Error creating: /, "")
    .replaceAll(/"[^"]*"/g, '""');
}

/** Replicas fail alike: what the first one says is not said again for the others. */
function describePods(pods: readonly PodEvidence[]): readonly string[] {
  const told = new Map<string, string>();
  return pods.flatMap((pod) => {
    const [first = "", ...details] = describePod(pod);
    const same = told.get(details.join("\n"));
    if (same !== undefined && details.length > 0) return [`${first}, the same as ${same}`];
    told.set(describeState(pod).join("\n"), pod.name);
    return [first, ...details];
  });
}

/** The same evidence as far as it may leave the run's log: what a program prints may hold anything, also its secrets. */
export function withoutLogs(evidence: Evidence): Evidence {
  return { ...evidence, pods: evidence.pods.map((pod) => ({ ...pod, logs: {} })) };
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
  const troubled = pod.containers.filter((c) => c.waitingFor !== "" || c.exitCode !== undefined);
  return [
    ...(pod.scheduler === undefined ? [] : [`  scheduler: ${pod.scheduler}`]),
    ...troubled.map((container) => `  ${withImage(containerText(container), container.image)}`),
  ];
}

function withImage(text: string, image: string): string {
  return text.includes(image) ? text : `${text} (image ${image})`;
}

function unmentioned({ pods, podCount }: Evidence): readonly string[] {
  const rest = podCount - pods.length;
  return pods.length > 0 && rest > 0 ? [`and ${rest} other Pods`] : [];
}
