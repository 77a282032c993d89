import type { Board } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type Evicted, schedule } from "../scheduling/schedule.ts";
import type { WorkloadPod } from "./group.ts";

/** The part of a controller that decides how many Pods of each version exist. */
export interface Controller {
  /** Lists all desired Pods, including those that wait for a place. */
  pods(): readonly WorkloadPod[];
  /** Runs one reconciliation. Reports whether anything changed. */
  reconcile(board: Board): boolean;
  isComplete(): boolean;
}

export interface Ending {
  readonly completes: boolean;
  /** Pods without a place at the end. */
  readonly waiting: readonly WorkloadPod[];
  /** Evicted Pods of other owners, with their nodes. */
  readonly evicted: readonly Evicted[];
  /** The number of evicted Pods that belong to the workload itself. */
  readonly preempted: number;
  /** The number of times that new Pods had to become ready one after another. */
  readonly batches: number;
}

/**
 * The limit of rounds; no real rollout needs as many.
 * A rollout that reaches it repeats the same states.
 */
export const mostRounds = 20_000;

/** Runs a controller and the scheduler in turns until the rollout completes or nothing changes. */
export function simulate(controller: Controller, board: Board): Ending {
  const victims: Evicted[] = [];
  let batches = 0;
  const end = (completes: boolean): Ending => {
    const own = controller.pods();
    const waiting = completes ? [] : own.filter(({ node }) => node === undefined);
    const evicted = victims.filter(({ pod }) => pod.owner !== own[0]?.owner);
    return { completes, waiting, evicted, preempted: victims.length - evicted.length, batches };
  };
  for (let round = 0; round < mostRounds; round++) {
    const changed = controller.reconcile(board);
    const placed = placeWaiting(controller.pods(), board, victims);
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
  board: Board,
  victims: Evicted[],
): number {
  const waiting = pods
    .filter(({ node }) => node === undefined)
    .toSorted((a, b) => b.shape.priority - a.shape.priority);
  const hopeless = new Set<PodShape>();
  let placed = 0;
  for (const pod of waiting) {
    if (hopeless.has(pod.shape)) continue;
    const { isPlaced, evicted } = schedule(board, pod);
    if (!isPlaced) hopeless.add(pod.shape);
    else placed++;
    victims.push(...evicted);
  }
  return placed;
}
