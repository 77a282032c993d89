import type { Board } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type Evicted, schedule } from "../scheduling/schedule.ts";
import type { WorkloadPod } from "./group.ts";

/** A controller as far as it decides how many Pods of which version there are. */
export interface Controller {
  /** All Pods that are to run, those that wait for a place included. */
  pods(): readonly WorkloadPod[];
  /** One reconciliation. Whether it changed anything. */
  reconcile(board: Board): boolean;
  isComplete(): boolean;
}

export interface Ending {
  readonly completes: boolean;
  /** Pods that find no place at the end. */
  readonly waiting: readonly WorkloadPod[];
  /** Pods of others that had to go, and where they ran. */
  readonly evicted: readonly Evicted[];
  /** How many Pods of its own. */
  readonly preempted: number;
  /** How often new Pods had to become ready one after the other. */
  readonly batches: number;
}

/** No rollout takes as many rounds: what is not at its end then goes in circles. */
export const mostRounds = 20_000;

/** Lets a controller and the scheduler take turns until all is done, or nothing moves any more. */
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

/** Those of higher priority first, then the older ones. How many found a place. */
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
