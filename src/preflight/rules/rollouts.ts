import { deletionOfPods, stuckPods } from "../../model/cluster/stuck-pods.ts";
import { at, isObject, type JsonObject, textAt } from "../../model/json.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { type ClusterFacts, knownOf } from "../facts.ts";
import { fieldBehind } from "../field-of.ts";
import { whoMovesPods } from "../moved-pods.ts";
import { clusterState, controllerOf, withPlanned } from "../rollouts/cluster-state.ts";
import { inSpec } from "../rollouts/cures.ts";
import { boundsOf } from "../rollouts/deployment.ts";
import { judgeRollouts, type Verdict } from "../rollouts/judge.ts";
import { type Missing, missingFacts } from "../rollouts/missing-facts.ts";
import type { Standstill } from "../rollouts/obstacles.ts";
import { numbers, placedByOthers } from "../rollouts/place-words.ts";
import { type Workload, workloadsOf } from "../rollouts/workload.ts";
import type { PreflightInput } from "../rule.ts";
import { invalidKeys } from "./invalid-rollout.ts";
import { refusedKeys } from "./refused-pods.ts";

/** Whether what is rolled out can end on the nodes that are there. */
export function rollouts(input: PreflightInput): readonly Finding[] {
  const { plan, facts } = input;
  const refused = new Set([...refusedKeys(input), ...invalidKeys(plan)]);
  const workloads = workloadsOf(plan).filter(({ change }) => !refused.has(change.key));
  if (workloads.length === 0) return [];
  const planned = withPlanned(facts, plan);
  const told = workloads.map((workload) => ({ workload, ...whyUnknown(workload, planned) }));
  const judged = judgeRollouts(
    told.flatMap(({ workload, why }) => (why === undefined ? [workload] : [])),
    plan,
    clusterState(planned, plan),
  );
  const mover = whoMovesPods(facts);
  return [
    ...told.flatMap(({ workload, why, fix }) =>
      why === undefined ? [] : [unknown(workload, why, input, fix)],
    ),
    ...judged.flatMap(({ workload, verdict }) => {
      const found = findingsOf(workload, verdict, input);
      return mover === undefined ? found : onMovedPods(workload, found, mover, input);
    }),
  ];
}

/** Where a deployment that goes first takes or frees places, nothing that was computed by what runs now is certain. */
function onMovedPods(
  workload: Workload,
  found: readonly Finding[],
  mover: string,
  input: PreflightInput,
): readonly Finding[] {
  const moved = `the deployment ${mover}, which goes first, changes what runs on the nodes`;
  if (found.length === 0) return [unknown(workload, moved, input)];
  return found.map((each) =>
    each.severity === "error"
      ? { ...each, severity: "warning", why: `${each.why}; ${moved}` }
      : each,
  );
}

function whyUnknown(workload: Workload, facts: ClusterFacts): Partial<Missing> {
  const missing = missingFacts(workload, facts);
  if (missing !== undefined) return missing;
  const why = incomputable(workload);
  return why === undefined ? {} : { why };
}

/** What decides where its Pods run is not in the cluster's objects. */
function incomputable({ spec, kind }: Workload): string | undefined {
  const ref = kind === "Rollout" ? at(spec, "workloadRef") : undefined;
  if (ref !== undefined && !isObject(spec.template)) {
    return "its template is that of an object that this deployment does not have (workloadRef)";
  }
  if (ref !== undefined && (textAt(ref, "scaleDown") ?? "never") !== "never") {
    return "the object that it takes its template from is scaled down meanwhile (workloadRef.scaleDown)";
  }
  return placedByOthers(at(spec, "template", "spec"));
}

function findingsOf(
  workload: Workload,
  verdict: Verdict,
  input: PreflightInput,
): readonly Finding[] {
  switch (verdict.type) {
    case "completes":
      return [...evictions(workload, verdict, input), ...slowness(workload, verdict, input)];
    case "deadlock":
      return [deadlock(workload, verdict, input)];
    case "chance":
      return [chance(workload, verdict, input)];
    case "outrun":
      return [outrun(workload, verdict, input)];
    case "never":
      return [neverFits(workload, verdict, input)];
  }
}

type Deadlock = Extract<Verdict, { type: "deadlock" }>;

function deadlock(workload: Workload, verdict: Deadlock, input: PreflightInput): Finding {
  const { cure, byBrokenPods } = verdict;
  const name = nameOf(workload.change.id);
  return {
    ...about(workload, input),
    code: "rollout-deadlock",
    severity: byBrokenPods ? "warning" : certainly(workload, input),
    what: byBrokenPods
      ? `${name}: its rollout can't end while old Pods of it are not ready`
      : `${name}: its rollout can't end, as new Pods wait for old ones to stop and these for new ones to be available`,
    why: [pace(workload), numbers(verdict.standstill), ...later(workload, input)].join("; "),
    fix: cure?.fix ?? withoutCure(workload, input.facts),
    path: fieldBehind(verdict.standstill.chief, workload.change.desired),
    paste: cure?.paste,
  };
}

/** What may get stuck is not called fine. */
function chance(
  workload: Workload,
  { standstill, cure }: Extract<Verdict, { type: "chance" }>,
  input: PreflightInput,
): Finding {
  return {
    ...about(workload, input),
    code: "rollout-deadlock",
    severity: "warning",
    what: `${nameOf(workload.change.id)}: its rollout may not end: new Pods fit in the places of some old ones only, and which old ones stop first is left to chance`,
    why: [pace(workload), numbers(standstill), ...later(workload, input)].join("; "),
    fix:
      cure?.fix ??
      "Let more old Pods stop at a time, give those that are in the way a lower controller.kubernetes.io/pod-deletion-cost, or add nodes",
    path: fieldBehind(standstill.chief, workload.change.desired),
    paste: cure?.paste,
  };
}

/** Which of them is first is decided by chance, but what may get stuck is not called fine. */
function outrun(
  workload: Workload,
  { standstill }: Extract<Verdict, { type: "outrun" }>,
  input: PreflightInput,
): Finding {
  return {
    ...about(workload, input),
    code: "rollout-deadlock",
    severity: "warning",
    what: `${nameOf(workload.change.id)}: its rollout can't end if others of this deployment, which are rolled at the same time, take the places that its Pods need`,
    why: [pace(workload), numbers(standstill), ...later(workload, input)].join("; "),
    fix: "Deploy one after the other, let one wait for the other (vs.axis-dev.io/dependsOn), or add nodes",
    path: fieldBehind(standstill.chief, workload.change.desired),
  };
}

function neverFits(
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

/** Where more nodes may come, nothing is stuck for ever. */
function certainly(workload: Workload, input: PreflightInput): "error" | "warning" {
  return autoscalerFor(workload, input) === undefined ? "error" : "warning";
}

/** A Pod of a DaemonSet is for one node: those to come have Pods of their own. */
function autoscalerFor({ kind }: Workload, { facts }: PreflightInput): string | undefined {
  return kind === "DaemonSet" ? undefined : facts.autoscaler;
}

function pace({ kind, spec, replicas }: Workload): string {
  if (kind === "StatefulSet") return `${replicas} replicas, replaced one by one`;
  if (kind === "DaemonSet") {
    const rolling = at(spec, "updateStrategy", "rollingUpdate");
    return `maxSurge ${text(at(rolling, "maxSurge"), "0")}, maxUnavailable ${text(at(rolling, "maxUnavailable"), "1")}`;
  }
  const blueGreen = at(spec, "strategy", "blueGreen") !== undefined;
  if (blueGreen) return `${replicas} replicas, and as many of the new colour before the switch`;
  const strategy = at(spec, "strategy", kind === "Rollout" ? "canary" : "rollingUpdate");
  if (isObject(at(strategy, "trafficRouting"))) {
    return `${replicas} replicas, and beside the stable ones as many canaries as each step asks for`;
  }
  const { surge, unavailable } = boundsOf((strategy ?? {}) as JsonObject, replicas, "25%");
  return `${replicas} replicas, at most ${surge} more (maxSurge) and ${unavailable} fewer (maxUnavailable)`;
}

function text(value: unknown, fallback: string): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : fallback;
}

/** Servers that do not know `matchLabelKeys` drop it without a word. */
function later(workload: Workload, input: PreflightInput): readonly string[] {
  const { change, object } = workload;
  const autoscaler = autoscalerFor(workload, input);
  const has = (value: unknown) => JSON.stringify(value ?? null).includes('"matchLabelKeys"');
  const isDropped =
    has(at(change.desired, "spec", "template")) && !has(at(object, "spec", "template"));
  return [
    ...(isDropped
      ? ["the API server drops matchLabelKeys, which it knows since Kubernetes 1.31"]
      : []),
    ...(autoscaler === undefined ? [] : [`${autoscaler} may add nodes`]),
  ];
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

type Completed = Extract<Verdict, { type: "completes" }>;

function evictions(
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

/** In seconds, where nobody says how long the deployment waits for one object. */
const usualPatience = 600;

function slowness(
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

/** How many Pods are replaced at a time is said in other fields for each kind. */
function fasterRollout({ kind }: Workload): string {
  const bounds = kind === "StatefulSet" ? "" : ", or raise maxUnavailable or maxSurge";
  return `Give deploy a longer --timeout, or lower minReadySeconds${bounds}`;
}

function unknown(workload: Workload, why: string, input: PreflightInput, fix = ""): Finding {
  return {
    ...about(workload, input),
    code: "rollout-unknown",
    severity: "note",
    what: `${nameOf(workload.change.id)}: whether its rollout can end is not known`,
    why,
    fix,
  };
}

function about({ object, change }: Workload, { placeOf }: PreflightInput) {
  const place = placeOf(change.key);
  return {
    object: { ...addressOf(object), namespace: change.id.namespace },
    where: place === undefined ? [] : [place],
  };
}
