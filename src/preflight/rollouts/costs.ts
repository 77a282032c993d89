import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { PreflightInput } from "../rule.ts";
import { about } from "./about-workload.ts";
import type { Verdict } from "./judge.ts";
import type { Workload } from "./workload.ts";

/* Findings about rollouts that complete, but evict other Pods or take long. */

type Completed = Extract<Verdict, { type: "completes" }>;

export function evictions(
  workload: Workload,
  { ending }: Completed,
  input: PreflightInput,
): readonly Finding[] {
  const { evicted, preempted: own } = ending;
  if (evicted.length + own === 0) return [];
  const others = [...new Set(evicted.map(({ pod }) => pod.owner))].length;
  return [
    {
      ...about(workload, input),
      code: "preempts",
      severity: "warning",
      what: `${nameOf(workload.change.id)}: its new Pods have no place beside those that run, and evict ${evicted.length + own} of lower priority`,
      why:
        evicted.length === 0
          ? "all of them are its own old Pods, which stop before the new ones are available"
          : `${evicted.length} of them belong to ${others} other ${others === 1 ? "owner" : "owners"}`,
      fix: "Give its Pods the priority of those that run, or more room",
    },
  ];
}

/** The time in seconds that a deployment waits for one object by default. */
const usualPatience = 600;

export function slowness(
  workload: Workload,
  { ending }: Completed,
  input: PreflightInput,
): readonly Finding[] {
  const { timeoutMs } = input;
  const { spec, change } = workload;
  const each = spec.minReadySeconds;
  const { batches } = ending;
  const patience = timeoutMs === undefined ? usualPatience : Math.round(timeoutMs / 1000);
  if (typeof each !== "number" || each * batches <= patience) return [];
  return [
    {
      ...about(workload, input),
      code: "rollout-slow",
      severity: "warning",
      what: `${nameOf(change.id)}: its rollout takes at least ${each * batches} s, and a deployment waits for ${patience} s`,
      why: `${batches} batches of new Pods, one after the other, each of which must be ready for ${each} s (minReadySeconds)`,
      fix: fasterRollout(workload),
      path: ["spec", "minReadySeconds"],
    },
  ];
}

/**
 * Suggests a change that makes the rollout faster.
 * Each kind has other fields for the number of Pods that are replaced at a time.
 */
function fasterRollout({ kind }: Workload): string {
  const bounds = kind === "StatefulSet" ? "" : ", or raise maxUnavailable or maxSurge";
  return `Give deploy a longer --timeout (input timeout), or lower minReadySeconds${bounds}`;
}
