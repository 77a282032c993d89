import { at, type Json, type JsonObject, textAt } from "../../model/json.ts";
import type { Board } from "../scheduling/board.ts";
import { isSelected, type SchedulingNode, untoleratedTaint } from "../scheduling/node.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { isAvailable, resolveShare, type WorkloadPod } from "./group.ts";
import type { Controller } from "./simulate.ts";

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

interface Place {
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
): Controller {
  const places = nodesForDaemon(shape, nodes).map((node): Place => {
    const here = live.filter(({ target }) => target === node.name);
    const old = here.find(({ isNew }) => !isNew);
    return { node, pinned: pinnedTo(shape, node), old, next: here.find(({ isNew }) => isNew) };
  });
  const rolls = textAt(spec, "updateStrategy", "type") !== "OnDelete";
  const rolling = at(spec, "updateStrategy", "rollingUpdate");
  const surge = resolveShare(at(rolling, "maxSurge") ?? 0, places.length, Math.ceil);
  const unavailable = resolveShare(at(rolling, "maxUnavailable") ?? 1, places.length, Math.ceil);

  function create(place: Place): true {
    const { pinned, node } = place;
    const common = { owner, isNew: true, target: node.name, isBroken: false };
    place.next = { ...common, shape: pinned, node: undefined };
    return true;
  }

  function removeOld(place: Place, board: Board): true {
    if (place.old !== undefined) board.remove(place.old);
    place.old = undefined;
    return true;
  }

  function createMissing(): boolean {
    const missing = places.filter(({ old, next }) => old === undefined && next === undefined);
    for (const place of missing) create(place);
    return missing.length > 0;
  }

  function replace(board: Board): boolean {
    const broken = places.filter(({ old }) => old !== undefined && !isAvailable(old));
    for (const place of broken) removeOld(place, board);
    const down = places.filter(({ old, next }) => !runs(old) && !runs(next)).length;
    const due = places
      .filter(({ old }) => old !== undefined)
      .slice(0, Math.max(0, unavailable - down));
    for (const place of due) removeOld(place, board);
    return broken.length + due.length > 0;
  }

  function surgeOver(board: Board): boolean {
    const done = places.filter(
      ({ old, next }) => old !== undefined && next !== undefined && (runs(next) || !runs(old)),
    );
    for (const place of done) removeOld(place, board);
    const open = places.filter(({ old, next }) => old !== undefined && next === undefined);
    const broken = open.filter(({ old }) => !runs(old));
    const surging = places.filter(
      ({ old, next }) => old !== undefined && next !== undefined,
    ).length;
    const due = open.filter(({ old }) => runs(old)).slice(0, Math.max(0, surge - surging));
    for (const place of [...broken, ...due]) create(place);
    return done.length + broken.length + due.length > 0;
  }

  return {
    pods: () => places.flatMap(({ old, next }) => [old, next].filter((pod) => pod !== undefined)),
    reconcile(board) {
      const created = createMissing();
      if (!rolls) return created;
      return (surge > 0 ? surgeOver(board) : replace(board)) || created;
    },
    isComplete: () =>
      places.every(({ old, next }) =>
        rolls ? old === undefined && runs(next) : runs(old ?? next),
      ),
  };
}

/**
 * Lists the nodes for which the controller creates a Pod.
 * Free resources and volumes don't matter.
 */
export function nodesForDaemon(
  shape: PodShape,
  nodes: readonly SchedulingNode[],
): readonly SchedulingNode[] {
  const own = tolerant(shape);
  return nodes.filter(
    (node) =>
      (own.nodeName ?? node.name) === node.name &&
      isSelected(own, node) &&
      untoleratedTaint({ ...own, nodeName: undefined }, node) === undefined,
  );
}

function runs(pod: DaemonPod | undefined): boolean {
  return pod !== undefined && isAvailable(pod);
}

/**
 * Returns the shape of the Pod for one node.
 * The controller adds node terms, so the scheduler can't choose another node.
 */
function pinnedTo(shape: PodShape, { name }: SchedulingNode): PodShape {
  const field = { key: "metadata.name", operator: "In", values: [name] };
  return { ...tolerant(shape), nodeTerms: [{ matchFields: [field] }] };
}

/** Adds the tolerations that the controller writes into each Pod. */
function tolerant(shape: PodShape): PodShape {
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
