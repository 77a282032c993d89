import { timeoutAnnotation } from "../../model/annotations.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { readWaitPolicy, type WaitPolicy } from "../../model/wait-policy.ts";
import type { PreflightInput } from "../rule.ts";
import type { RolloutVerdict } from "./judge-rollouts.ts";
import type { Workload } from "./workload.ts";
import { findingSubject } from "./workload-finding.ts";

/* Findings about rollouts that complete, but evict other Pods or take long. */

type Completed = Extract<RolloutVerdict, { type: "completes" }>;

export function evictionFindings(
  workload: Workload,
  { ending }: Completed,
  input: PreflightInput,
): readonly Finding[] {
  const { evicted, preempted: own } = ending;
  if (evicted.length + own === 0) return [];
  const others = [...new Set(evicted.map(({ pod }) => pod.owner))].length;
  const all = evicted.length + own;
  return [
    {
      ...findingSubject(workload, input),
      code: "preempts",
      severity: "warning",
      what: `${nameOf(workload.change.id)}: its new Pods evict ${all} running ${all === 1 ? "Pod" : "Pods"} of lower priority`,
      why: `The nodes have no place for both. ${
        evicted.length === 0
          ? "Only its own old Pods are evicted, and they stop before the new ones are available"
          : `${evicted.length} of the evicted Pods ${evicted.length === 1 ? "belongs" : "belong"} to ${others} other ${others === 1 ? "owner" : "owners"}`
      }`,
      fix: "Give its Pods the same priority as the running Pods, or more room",
    },
  ];
}

/** The time in seconds that a deployment waits for one object by default. */
const defaultTimeoutSeconds = 600;

export function slownessFindings(
  workload: Workload,
  { ending }: Completed,
  input: PreflightInput,
): readonly Finding[] {
  const { spec, change } = workload;
  const policy = readWaitPolicy(change.desired);
  if (!policy.isAwaited) return [];
  const timeoutMs = policy.timeoutMs ?? input.timeoutMs;
  const each = spec.minReadySeconds;
  const { batches } = ending;
  const timeoutSeconds =
    timeoutMs === undefined ? defaultTimeoutSeconds : Math.round(timeoutMs / 1000);
  if (typeof each !== "number" || each * batches <= timeoutSeconds) return [];
  return [
    {
      ...findingSubject(workload, input),
      code: "rollout-slow",
      severity: "warning",
      what: `${nameOf(change.id)}: its rollout takes longer than the timeout of ${timeoutSeconds} s`,
      why: `It takes at least ${each * batches} s: ${batches} batches of new Pods start one after another, and each must be ready for ${each} s (minReadySeconds)`,
      fix: fasterRollout(workload, policy),
      path: ["spec", "minReadySeconds"],
    },
  ];
}

/**
 * Suggests a change that makes the rollout faster.
 * Each kind has other fields for the number of Pods that are replaced at a time.
 */
function fasterRollout({ kind }: Workload, { timeoutMs }: WaitPolicy): string {
  const bounds = kind === "StatefulSet" ? "" : ", or raise maxUnavailable or maxSurge";
  const more =
    timeoutMs === undefined
      ? "Set a longer --timeout for deploy (input timeout)"
      : `Set a longer time in its annotation ${timeoutAnnotation}`;
  return `${more}, or lower minReadySeconds${bounds}`;
}
