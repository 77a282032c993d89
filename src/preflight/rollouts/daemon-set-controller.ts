import { at, type Json, type JsonObject, textAt } from "../../model/json.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { asPlanned, awaitsPods, samplePodSpec } from "../planned-pods.ts";
import { createPodShape, type PodShape } from "../scheduling/pod-shape.ts";
import {
  matchesNodeRules,
  type SchedulingNode,
  schedulingNode,
  untoleratedTaint,
} from "../scheduling/scheduling-node.ts";
import { labelsAt } from "../scheduling/selectors.ts";
import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { ephemeralClaims } from "./claim-rules.ts";
import { isAvailable, resolveShare, type WorkloadPod } from "./pod-group.ts";
import type { SimulatedController } from "./simulation.ts";

export interface DaemonPods {
  /**
   * The live Pods. Each one belongs to one node.
   * A Pod that isn't placed yet names its node in its node terms.
   */
  readonly live: readonly DaemonPod[];
  readonly owner: string;
  /** The shape of Pods from the new template. */
  readonly shape: PodShape;
}

export interface DaemonPod extends WorkloadPod {
  readonly isNew: boolean;
  readonly target: string;
}

interface NodeSlot {
  readonly node: SchedulingNode;
  readonly pinned: PodShape;
  old: DaemonPod | undefined;
  next: DaemonPod | undefined;
}

/**
 * Simulates the DaemonSet controller (kubernetes.io/docs/tasks/manage-daemon/update-daemon-set).
 * It replaces the Pods node by node and deletes the old Pod first. With `maxSurge`, it deletes the
 * old Pod after the new one is available.
 */
export function daemonSetController(
  spec: JsonObject,
  { live, owner, shape }: DaemonPods,
  nodes: readonly SchedulingNode[],
): SimulatedController {
  const slots = nodesForDaemon(shape, nodes).map((node): NodeSlot => {
    const here = live.filter(({ target }) => target === node.name);
    const old = here.find(({ isNew }) => !isNew);
    return { node, pinned: pinnedShape(shape, node), old, next: here.find(({ isNew }) => isNew) };
  });
  const rolls = textAt(spec, "updateStrategy", "type") !== "OnDelete";
  const rolling = at(spec, "updateStrategy", "rollingUpdate");
  const surge = resolveShare(at(rolling, "maxSurge") ?? 0, slots.length, Math.ceil);
  const unavailable = resolveShare(at(rolling, "maxUnavailable") ?? 1, slots.length, Math.ceil);

  function create(slot: NodeSlot): true {
    const { pinned, node } = slot;
    const common = { owner, isNew: true, target: node.name, isBroken: false };
    slot.next = { ...common, shape: pinned, node: undefined };
    return true;
  }

  function removeOld(slot: NodeSlot, cluster: SimulatedCluster): true {
    if (slot.old !== undefined) cluster.remove(slot.old);
    slot.old = undefined;
    return true;
  }

  function createMissing(): boolean {
    const missing = slots.filter(({ old, next }) => old === undefined && next === undefined);
    for (const slot of missing) create(slot);
    return missing.length > 0;
  }

  function replace(cluster: SimulatedCluster): boolean {
    const broken = slots.filter(({ old }) => old !== undefined && !isAvailable(old));
    for (const slot of broken) removeOld(slot, cluster);
    const down = slots.filter(({ old, next }) => !isRunning(old) && !isRunning(next)).length;
    const due = slots
      .filter(({ old }) => old !== undefined)
      .slice(0, Math.max(0, unavailable - down));
    for (const slot of due) removeOld(slot, cluster);
    return broken.length + due.length > 0;
  }

  function rollWithSurge(cluster: SimulatedCluster): boolean {
    const done = slots.filter(
      ({ old, next }) =>
        old !== undefined && next !== undefined && (isRunning(next) || !isRunning(old)),
    );
    for (const slot of done) removeOld(slot, cluster);
    const open = slots.filter(({ old, next }) => old !== undefined && next === undefined);
    const broken = open.filter(({ old }) => !isRunning(old));
    const surging = slots.filter(({ old, next }) => old !== undefined && next !== undefined).length;
    const due = open.filter(({ old }) => isRunning(old)).slice(0, Math.max(0, surge - surging));
    for (const slot of [...broken, ...due]) create(slot);
    return done.length + broken.length + due.length > 0;
  }

  return {
    pods: () => slots.flatMap(({ old, next }) => [old, next].filter((pod) => pod !== undefined)),
    reconcile(cluster) {
      const created = createMissing();
      if (!rolls) return created;
      return (surge > 0 ? rollWithSurge(cluster) : replace(cluster)) || created;
    },
    isComplete: () =>
      slots.every(({ old, next }) =>
        rolls ? old === undefined && isRunning(next) : isRunning(old ?? next),
      ),
  };
}

/**
 * Lists the nodes for which the controller creates a Pod.
 * Free resources and volumes don't matter.
 */
function nodesForDaemon(
  shape: PodShape,
  nodes: readonly SchedulingNode[],
): readonly SchedulingNode[] {
  const own = withDaemonTolerations(shape);
  return nodes.filter(
    (node) =>
      (own.nodeName ?? node.name) === node.name &&
      matchesNodeRules(own, node) &&
      untoleratedTaint({ ...own, nodeName: undefined }, node) === undefined,
  );
}

function isRunning(pod: DaemonPod | undefined): boolean {
  return pod !== undefined && isAvailable(pod);
}

/**
 * Returns the shape of the Pod for one node.
 * The controller adds node terms, so the scheduler can't choose another node.
 */
function pinnedShape(shape: PodShape, { name }: SchedulingNode): PodShape {
  const field = { key: "metadata.name", operator: "In", values: [name] };
  return { ...withDaemonTolerations(shape), nodeTerms: [{ matchFields: [field] }] };
}

/** Adds the tolerations that the controller writes into each Pod. */
function withDaemonTolerations(shape: PodShape): PodShape {
  const byEffect = {
    ...{ NoExecute: toleratedAlways, NoSchedule: toleratedFirst },
    ...(shape.usesHostNetwork && { NoSchedule: [...toleratedFirst, "network-unavailable"] }),
  };
  const added: readonly Json[] = Object.entries(byEffect).flatMap(([effect, names]) =>
    names.map((name) => ({ key: `node.kubernetes.io/${name}`, operator: "Exists", effect })),
  );
  return { ...shape, tolerations: [...shape.tolerations, ...added] };
}

/**
 * Taints that the controller tolerates only with the effect NoExecute.
 * A node that isn't ready has its taint with both effects: it gets no new Pod, but its running Pods
 * stay.
 */
const toleratedAlways = ["not-ready", "unreachable"];
const toleratedFirst = ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];

export function isDaemonSet({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "apps" && kind === "DaemonSet";
}

/**
 * Counts the nodes on which a DaemonSet with this Pod spec runs.
 * The result is undefined if qvs can't read nodes.
 */
export function countDaemonNodes(
  planned: KubeObject,
  { id }: Pick<Change, "id">,
  pod: JsonObject,
  facts: ClusterFacts,
): number | undefined {
  const { nodes } = facts;
  if (!nodes.known) return undefined;
  const labels = labelsAt(at(planned, "spec", "template", "metadata", "labels"));
  const ephemeralClaim = ephemeralClaims(facts);
  const surroundings = { namespaces: new Map(), claims: new Map(), ephemeralClaim };
  const shape = createPodShape({ namespace: id.namespace, labels, spec: pod }, surroundings);
  const all = nodes.value.map((each) => schedulingNode(each));
  return nodesForDaemon(shape, all).length;
}

/**
 * Reports whether the deployment waits for Pods of the object.
 * A DaemonSet that matches no node has no Pods and is ready.
 */
export function awaitsPodsOnNodes(change: Change, facts: ClusterFacts): boolean {
  if (!awaitsPods(change)) return false;
  const planned = asPlanned(change);
  const pod = samplePodSpec(change, facts);
  if (!isDaemonSet(planned) || pod === undefined) return true;
  return countDaemonNodes(planned, change, pod, facts) !== 0;
}
