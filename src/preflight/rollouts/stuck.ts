import { deletionOfPods, stuckPods } from "../../model/cluster/stuck-pods.ts";
import { textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { type ClusterFacts, knownOf } from "../facts.ts";
import { fieldBehind } from "../field-of.ts";
import type { PreflightInput } from "../rule.ts";
import { about, autoscalerFor, later, pace } from "./about-workload.ts";
import { controllerOf } from "./cluster-state.ts";
import { inSpec } from "./cures.ts";
import type { Verdict } from "./judge.ts";
import type { Standstill } from "./obstacles.ts";
import { numbers } from "./place-words.ts";
import type { Workload } from "./workload.ts";

/* Findings about rollouts that can't complete, or that might not. */

type Deadlock = Extract<Verdict, { type: "deadlock" }>;

export function deadlock(workload: Workload, verdict: Deadlock, input: PreflightInput): Finding {
  const { cure, byBrokenPods } = verdict;
  const name = nameOf(workload.change.id);
  return {
    ...ofStandstill(workload, verdict.standstill, input),
    severity: byBrokenPods ? "warning" : certainly(workload, input),
    what: byBrokenPods
      ? `${name}: its rollout can't complete while old Pods of it are not ready`
      : `${name}: its rollout can't complete, since new Pods wait for old ones to stop, and old ones wait for new ones to be available`,
    fix: cure?.fix ?? withoutCure(workload, input.facts),
    paste: cure?.paste,
  };
}

/** Describes a rollout that makes no progress, with its numbers. */
function ofStandstill(workload: Workload, standstill: Standstill, input: PreflightInput) {
  return {
    ...about(workload, input),
    code: "rollout-deadlock" as const,
    why: [pace(workload), numbers(standstill), ...later(workload, input)].join("; "),
    path: fieldBehind(standstill.chief, workload.change.desired),
  };
}

/** Reports a rollout that might get stuck. Chance decides the result, so it is a warning. */
export function chance(
  workload: Workload,
  { standstill, cure }: Extract<Verdict, { type: "chance" }>,
  input: PreflightInput,
): Finding {
  return {
    ...ofStandstill(workload, standstill, input),
    severity: "warning",
    what: `${nameOf(workload.change.id)}: its rollout may never complete: new Pods fit in the places of some old ones only, and which old ones stop first is left to chance`,
    fix:
      cure?.fix ??
      "Let more old Pods stop at a time, give those that are in the way a lower controller.kubernetes.io/pod-deletion-cost, or add nodes",
    paste: cure?.paste,
  };
}

/**
 * Reports a rollout that might get stuck because other workloads are rolled out at the same time.
 * Chance decides which one is first, so it is a warning.
 */
export function outrun(
  workload: Workload,
  { standstill }: Extract<Verdict, { type: "outrun" }>,
  input: PreflightInput,
): Finding {
  return {
    ...ofStandstill(workload, standstill, input),
    severity: "warning",
    what: `${nameOf(workload.change.id)}: its rollout can't complete if others of this deployment, which are rolled at the same time, take the places that its Pods need`,
    fix: "Deploy one after the other, let one wait for the other (vs.axis-dev.io/dependsOn), or add nodes",
  };
}

export function neverFits(
  workload: Workload,
  verdict: Extract<Verdict, { type: "never" }>,
  input: PreflightInput,
): Finding {
  const { kind, replicas, change } = workload;
  const { fitting } = verdict;
  const name = nameOf(change.id);
  const isCounted = kind !== "DaemonSet" && fitting > 0;
  return {
    ...about(workload, input),
    code: "never-fits",
    severity: certainly(workload, input),
    what: isCounted
      ? `${name}: only ${fitting} of its ${replicas} Pods find a place on the nodes`
      : `${name}: its Pods find no place on the nodes`,
    why: [numbers(verdict.standstill), ...later(workload, input)].join("; "),
    fix: roomFor(verdict.standstill, isCounted),
    paste: isCounted ? inSpec([`replicas: ${fitting}`]) : undefined,
    path: isCounted ? ["spec", "replicas"] : fieldBehind(verdict.standstill.chief, change.desired),
  };
}

function roomFor({ chief }: Standstill, isCounted: boolean): string {
  if (chief?.type === "volume") {
    return "Add volumes that suit its claims where its Pods may run, or name a StorageClass that makes them";
  }
  return isCounted
    ? "Have fewer replicas, relax what keeps them apart, or add nodes"
    : "Change what its Pods ask of a node, or add nodes that have it";
}

/**
 * Returns "warning" if an autoscaler can add nodes, because then the rollout can still complete.
 */
function certainly(workload: Workload, input: PreflightInput): "error" | "warning" {
  return autoscalerFor(workload, input) === undefined ? "error" : "warning";
}

function withoutCure(workload: Workload, facts: ClusterFacts): string {
  const stuck = stuckPodsOf(workload, facts);
  if (stuck?.isEarlier === true) {
    return `Once this is being deployed, delete the Pods that it waits for and does not replace: ${deletionOfPods(stuck)}`;
  }
  return workload.kind === "Rollout"
    ? "Add nodes for as many Pods more as run at the same time, or relax what keeps Pods of two versions apart: matchLabelKeys with rollouts-pod-template-hash helps from the next rollout on"
    : "Relax what keeps Pods of two versions apart, or add nodes: matchLabelKeys helps from the next rollout on";
}

function stuckPodsOf({ object, live, uid, hasSameTemplate }: Workload, { pods }: ClusterFacts) {
  if (uid === "") return undefined;
  const own = knownOf(pods).filter((pod) => controllerOf(pod) === uid);
  const revision = hasSameTemplate ? textAt(live, "status", "updateRevision") : undefined;
  return stuckPods(object, own, revision);
}
