import type { Evidence, PodEvidence } from "./evidence.ts";
import { containerText } from "./status/containers.ts";

/** Evidence as lines of text, the nearest to the cause first. */
export function describeEvidence(evidence: Evidence): readonly string[] {
  return [
    ...evidence.pods.flatMap(describePod),
    ...unmentioned(evidence),
    ...evidence.conditions.map((condition) => `condition ${condition}`),
    ...evidence.warnings.map(
      ({ about, reason, message, count }) =>
        `event on ${about}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ""}`,
    ),
  ];
}

/** The same evidence as far as it may leave the run's log: what a program prints may hold anything, also its secrets. */
export function withoutLogs(evidence: Evidence): Evidence {
  return { ...evidence, pods: evidence.pods.map((pod) => ({ ...pod, logs: {} })) };
}

function describePod(pod: PodEvidence): readonly string[] {
  const troubled = pod.containers.filter((c) => c.waitingFor !== "" || c.exitCode !== undefined);
  return [
    `Pod ${pod.name}: ${pod.phase}`,
    ...(pod.scheduler === undefined ? [] : [`  scheduler: ${pod.scheduler}`]),
    ...troubled.map((container) => `  ${containerText(container)} (image ${container.image})`),
    ...Object.entries(pod.logs).flatMap(([container, log]) => [
      `  last log lines of container ${container}:`,
      // No line may begin with what a program wrote: a runner would take `::` there for a command.
      ...log.split(/\r\n|\r|\n/).map((line) => `    | ${line}`),
    ]),
  ];
}

function unmentioned({ pods, podCount }: Evidence): readonly string[] {
  const rest = podCount - pods.length;
  return pods.length > 0 && rest > 0 ? [`and ${rest} other Pods`] : [];
}
