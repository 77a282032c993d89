import { at, type Json, type JsonObject, numberAt, textAt } from "../../model/json.ts";
import { annotation, type KubeObject, label, uidOf } from "../../model/object.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { blueGreenController } from "./blue-green.ts";
import { canaryController, type RolloutVersions } from "./canary.ts";
import { type ClusterState, type LivePod, ownedBy } from "./cluster-state.ts";
import { daemonPods } from "./daemon-pods.ts";
import { daemonSetController } from "./daemon-set.ts";
import { deploymentController } from "./deployment.ts";
import { type Group, newGroup } from "./group.ts";
import {
  type Assumption,
  isBroken,
  type Making,
  newHash,
  type OwnPod,
  shapeFrom,
} from "./own-pods.ts";
import type { Controller } from "./simulate.ts";
import { statefulPods } from "./stateful-pods.ts";
import { statefulSetController } from "./stateful-set.ts";
import { isCompletedFrom, isMadeFrom } from "./template-of-set.ts";
import type { Workload } from "./workload.ts";

/**
 * Creates the simulated controller of a workload, with its live Pods or with those of an
 * assumption.
 */
export function buildController(
  state: ClusterState,
  workload: Workload,
  own: readonly OwnPod[],
  assumption: Assumption,
): Controller {
  const { spec = workload.spec, replicas = workload.replicas } = assumption;
  const input = { state, workload, own, assumption };
  switch (workload.kind) {
    case "Deployment": {
      const { next, others } = versionsOf(input);
      return deploymentController(spec, replicas, { next, previous: others });
    }
    case "Rollout": {
      const versions = versionsOf(input);
      if (at(spec, "strategy", "blueGreen") !== undefined) {
        return blueGreenController(spec, replicas, versions);
      }
      const reached = workload.hasSameTemplate ? stepOf(workload.live) : 0;
      return canaryController(spec, replicas, versions, reached);
    }
    case "StatefulSet":
      return statefulSetController(spec, replicas, statefulPods(input));
    case "DaemonSet":
      return daemonSetController(spec, daemonPods(input), state.nodes);
  }
}

function stepOf(live: KubeObject | undefined): number {
  return numberAt(live, "status", "currentStepIndex") ?? 0;
}

/** Converts the ReplicaSets of a workload into groups, oldest first. */
function versionsOf(input: Making): RolloutVersions {
  const { state, workload } = input;
  const sets = input.assumption.alone === true ? [] : ownedBy(workload.uid, state.replicaSets);
  const current = sets.find((set) => isNext(set, workload));
  const stableHash = textAt(workload.live, "status", "stableRS");
  const groups = sets
    .toSorted((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1))
    .map((set) => ({ set, group: groupOf(set, input) }));
  const found = groups.find(({ set }) => set === current)?.group;
  const next = found ?? newGroup(nextShape(input), workload.change.key);
  const rest = groups.filter(({ set }) => set !== current);
  const isStable = (set: KubeObject) => label(set, "rollouts-pod-template-hash") === stableHash;
  const stable = workload.kind === "Rollout" ? rest.find(({ set }) => isStable(set)) : undefined;
  const others = rest.filter((each) => each !== stable && !isEmpty(each.group));
  const { luck } = input.assumption;
  for (const { group } of rest) {
    group.luck = luck && { isGood: luck === "good", shape: next.shape };
  }
  return { next, stable: stable?.group, others: others.map(({ group }) => group) };
}

function isEmpty({ desired, pods }: Group): boolean {
  return desired === 0 && pods.length === 0;
}

function isNext(set: KubeObject, { kind, live, spec, hasSameTemplate }: Workload): boolean {
  if (kind === "Deployment") return isMadeFrom(set, spec.template);
  // A return to an earlier template can reuse a ReplicaSet that still has Pods.
  if (!hasSameTemplate) return isCompletedFrom(set, spec.template);
  return label(set, "rollouts-pod-template-hash") === textAt(live, "status", "currentPodHash");
}

function createdAt(object: KubeObject): string {
  return textAt(object, "metadata", "creationTimestamp") ?? "";
}

function groupOf(set: KubeObject, { state, workload, own, assumption }: Making): Group {
  const uid = uidOf(set);
  const mine = own.filter(({ controller }) => controller === uid);
  const template = at(set, "spec", "template");
  const shape = mine[0]?.shape ?? shapeFrom(template, {}, { state, workload });
  const pods = mine.map((pod) => ({
    ...{ shape: pod.shape, owner: pod.owner, node: pod.node },
    isBroken: isBroken(pod, assumption) && !isNext(set, workload),
    cost: deletionCost(pod),
  }));
  return {
    shape,
    owner: workload.change.key,
    desired: numberAt(set, "spec", "replicas") ?? 0,
    pods,
    scaledFor: scaledFor(set),
  };
}

function deletionCost({ object }: LivePod): number {
  const cost = Number(annotation(object, "controller.kubernetes.io/pod-deletion-cost"));
  return Number.isInteger(cost) ? cost : 0;
}

function scaledFor(set: KubeObject): Group["scaledFor"] {
  const [replicas, most] = ["desired", "max"].map((name) =>
    annotation(set, `deployment.kubernetes.io/${name}-replicas`),
  );
  if (replicas === undefined || most === undefined) return undefined;
  return { replicas: Number(replicas), most: Number(most) };
}

/**
 * Returns the shape of the new Pods.
 * Argo Rollouts adds an anti-affinity term that isn't in the manifest.
 */
function nextShape(input: Making): PodShape {
  const { workload, assumption, state } = input;
  const { spec = workload.spec } = assumption;
  const isRollout = workload.kind === "Rollout";
  const hash = isRollout ? "rollouts-pod-template-hash" : "pod-template-hash";
  const template = (at(spec, "template") ?? null) as Json;
  const added = isRollout ? injectedTerm(workload) : undefined;
  const sample = state.samples.get(workload.change.key);
  if (sample !== undefined) return shapeFrom(sample, {}, input, added);
  return shapeFrom(template, { [hash]: newHash }, input, added);
}

function injectedTerm({ live, spec, change }: Workload): JsonObject | undefined {
  const strategy = at(spec, "strategy", "canary") ?? at(spec, "strategy", "blueGreen");
  const required = at(strategy, "antiAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  const stable = textAt(live, "status", "stableRS");
  if (required === undefined || stable === undefined || stable === "") return undefined;
  const key = "rollouts-pod-template-hash";
  return {
    labelSelector: { matchExpressions: [{ key, operator: "In", values: [stable] }] },
    namespaces: [change.id.namespace],
    topologyKey: "kubernetes.io/hostname",
  };
}
