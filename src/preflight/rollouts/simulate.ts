import type { PodShape } from "../scheduling/pod-shape.ts";
import { type EvictedPod, schedule } from "../scheduling/schedule.ts";
import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import type { WorkloadPod } from "./pod-group.ts";

/** The part of a controller that decides how many Pods of each version exist. */
export interface SimulatedController {
  /** Lists all desired Pods, including those that wait for a place. */
  pods(): readonly WorkloadPod[];
  /** Runs one reconciliation. Reports whether anything changed. */
  reconcile(board: SimulatedCluster): boolean;
  isComplete(): boolean;
}

export interface RolloutEnding {
  readonly completes: boolean;
  /** Pods without a place at the end. */
  readonly waiting: readonly WorkloadPod[];
  /** Evicted Pods of other owners, with their nodes. */
  readonly evicted: readonly EvictedPod[];
  /** The number of evicted Pods that belong to the workload itself. */
  readonly preempted: number;
  /** The number of times that new Pods had to become ready one after another. */
  readonly batches: number;
}

/**
 * The limit of rounds; no real rollout needs as many.
 * A rollout that reaches it repeats the same states.
 */
export const maxRounds = 20_000;

/** Runs a controller and the scheduler in turns until the rollout completes or nothing changes. */
export function simulate(
  controller: SimulatedController,
  cluster: SimulatedCluster,
): RolloutEnding {
  const victims: EvictedPod[] = [];
  let batches = 0;
  const end = (completes: boolean): RolloutEnding => {
    const own = controller.pods();
    const waiting = completes ? [] : own.filter(({ node }) => node === undefined);
    const evicted = victims.filter(({ pod }) => pod.owner !== own[0]?.owner);
    return { completes, waiting, evicted, preempted: victims.length - evicted.length, batches };
  };
  for (let round = 0; round < maxRounds; round++) {
    const changed = controller.reconcile(cluster);
    const placed = placeWaiting(controller.pods(), cluster, victims);
    if (placed > 0) batches++;
    if (controller.isComplete()) return end(true);
    if (!changed && placed === 0) break;
  }
  return end(false);
}

/**
 * Places waiting Pods, those of the highest priority first, then the older ones.
 * Returns how many it placed.
 */
export function placeWaiting(
  pods: readonly WorkloadPod[],
  cluster: SimulatedCluster,
  victims: EvictedPod[],
): number {
  const waiting = pods
    .filter(({ node }) => node === undefined)
    .toSorted((a, b) => b.shape.priority - a.shape.priority);
  const hopeless = new Set<PodShape>();
  let placed = 0;
  for (const pod of waiting) {
    if (hopeless.has(pod.shape)) continue;
    const { isPlaced, evicted } = schedule(cluster, pod);
    if (!isPlaced) hopeless.add(pod.shape);
    else placed++;
    victims.push(...evicted);
  }
  return placed;
}
