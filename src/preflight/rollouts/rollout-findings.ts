import { timeoutAnnotation } from "../../model/annotations.ts";
import { controllerUid } from "../../model/cluster/owned-objects.ts";
import {
  deletePodsCommand,
  type StuckPods,
  stuckPods,
} from "../../model/cluster/pending-deletion.ts";
import { textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import { readWaitPolicy, type WaitPolicy } from "../../model/plan/wait-policy.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { obstaclePath } from "../field-paths.ts";
import type { PreflightInput } from "../rule.ts";
import type { RolloutVerdict } from "./judge-rollouts.ts";
import { type Standstill, specLines, standstillText } from "./standstill.ts";
import type { Workload } from "./workload.ts";
import {
  describePace,
  findingSubject,
  helpfulAutoscaler,
  verdictCaveats,
} from "./workload-finding.ts";

/* Findings about rollouts that can't complete, or that might not. */

type Deadlock = Extract<RolloutVerdict, { type: "deadlock" }>;

export function deadlockFinding(
  workload: Workload,
  verdict: Deadlock,
  input: PreflightInput,
): Finding {
  const { fix: rolloutFix, byBrokenPods } = verdict;
  const name = nameOf(workload.change.id);
  const stuck = rolloutFix === undefined ? findStuckPods(workload, input.facts) : undefined;
  const earlier = stuck?.isOldRevision === true ? stuck : undefined;
  return {
    ...standstillFinding(workload, verdict.standstill, input, byBrokenPods ? [] : [mutualWait]),
    ...(byBrokenPods && earlier !== undefined ? { why: whyStuck(earlier) } : {}),
    severity: byBrokenPods ? "warning" : severityWithAutoscaler(workload, input),
    what: `${name}: its rollout can't complete${byBrokenPods ? " while its old Pods aren't ready" : ""}`,
    fix: rolloutFix?.fix ?? (earlier === undefined ? fallbackFix(workload) : replacing(earlier)),
    paste: rolloutFix?.paste,
  };
}

/** An ordered StatefulSet doesn't replace an unready Pod, whatever room the nodes have. */
function whyStuck({ names }: StuckPods): string {
  return names.length === 1
    ? `Pod ${names[0]} has the old template and isn't ready. The StatefulSet doesn't replace it, and replaces no other Pod until it is ready`
    : `Pods ${names.join(", ")} have the old template and aren't ready. The StatefulSet doesn't replace them, and replaces no other Pod until they are ready`;
}

function replacing(stuck: StuckPods): string {
  const them = stuck.names.length === 1 ? "The Pod comes" : "The Pods come";
  return `After the deployment has started, run ${deletePodsCommand(stuck)}. ${them} back with the new template`;
}

const mutualWait =
  "New Pods wait until old ones stop, and old Pods stop only after new ones are available";

/** Describes a rollout that makes no progress, with its numbers. */
function standstillFinding(
  workload: Workload,
  standstill: Standstill,
  input: PreflightInput,
  causes: readonly string[],
) {
  return {
    ...findingSubject(workload, input),
    code: "rollout-deadlock" as const,
    why: [
      ...causes,
      describePace(workload),
      standstillText(standstill),
      ...verdictCaveats(workload, input),
    ].join(". "),
    path: obstaclePath(standstill.mainObstacle, workload.change.desired),
  };
}

/** Reports a rollout that might get stuck. Chance decides the result, so it is a warning. */
export function chanceFinding(
  workload: Workload,
  { standstill, fix: rolloutFix }: Extract<RolloutVerdict, { type: "chance" }>,
  input: PreflightInput,
): Finding {
  return {
    ...standstillFinding(workload, standstill, input, [
      "New Pods fit only in the places of some old ones, and chance decides which old ones stop first",
    ]),
    severity: "warning",
    what: `${nameOf(workload.change.id)}: its rollout might never complete`,
    fix:
      rolloutFix?.fix ??
      "Let more old Pods stop at a time, set a lower controller.kubernetes.io/pod-deletion-cost on the blocking Pods, or add nodes",
    paste: rolloutFix?.paste,
  };
}

/**
 * Reports a rollout that might get stuck because other workloads are rolled out at the same time.
 * Chance decides which one is first, so it is a warning.
 */
export function outrunFinding(
  workload: Workload,
  { standstill }: Extract<RolloutVerdict, { type: "outrun" }>,
  input: PreflightInput,
): Finding {
  return {
    ...standstillFinding(workload, standstill, input, [
      "These rollouts run at the same time, and others can take the places that its Pods need",
    ]),
    severity: "warning",
    what: `${nameOf(workload.change.id)}: its rollout can be blocked by other rollouts of this deployment`,
    fix: "Add the annotation vs.axis-dev.io/dependsOn to one of them, deploy them one after another, or add nodes",
  };
}

export function neverFitsFinding(
  workload: Workload,
  verdict: Extract<RolloutVerdict, { type: "never" }>,
  input: PreflightInput,
): Finding {
  const { kind, replicas, change } = workload;
  const { fitting } = verdict;
  const name = nameOf(change.id);
  const isCounted = kind !== "DaemonSet" && fitting > 0;
  return {
    ...findingSubject(workload, input),
    code: "never-fits",
    severity: severityWithAutoscaler(workload, input),
    what: isCounted
      ? `${name}: only ${fitting} of its ${replicas} Pods fit on the nodes`
      : `${name}: its Pods don't fit on the nodes`,
    why: [standstillText(verdict.standstill), ...verdictCaveats(workload, input)].join(". "),
    fix: placementFix(verdict.standstill, isCounted),
    paste: isCounted ? specLines([`replicas: ${fitting}`]) : undefined,
    path: isCounted
      ? ["spec", "replicas"]
      : obstaclePath(verdict.standstill.mainObstacle, change.desired),
  };
}

function placementFix({ mainObstacle }: Standstill, isCounted: boolean): string {
  if (mainObstacle?.type === "volume") {
    return "Add volumes for its claims on nodes that its Pods can use, or set a StorageClass that creates volumes";
  }
  return isCounted
    ? "Set fewer replicas, relax the rules that separate its Pods, or add nodes"
    : "Change the node requirements of its Pods, or add suitable nodes";
}

/**
 * Returns "warning" if an autoscaler can add nodes, because then the rollout can still complete.
 */
function severityWithAutoscaler(workload: Workload, input: PreflightInput): "error" | "warning" {
  return helpfulAutoscaler(workload, input) === undefined ? "error" : "warning";
}

function fallbackFix(workload: Workload): string {
  return workload.kind === "Rollout"
    ? "Add nodes for all Pods that run at the same time, or relax the rules that separate Pods of two versions: matchLabelKeys with rollouts-pod-template-hash helps from the next rollout on"
    : "Relax the rules that separate Pods of two versions, or add nodes: matchLabelKeys helps from the next rollout on";
}

function findStuckPods({ object, live, uid, hasSameTemplate }: Workload, { pods }: ClusterFacts) {
  if (uid === "") return undefined;
  const own = knownValues(pods).filter((pod) => controllerUid(pod) === uid);
  const revision = hasSameTemplate ? textAt(live, "status", "updateRevision") : undefined;
  return stuckPods(object, own, revision);
}

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
