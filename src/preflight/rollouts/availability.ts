import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { isAvailable } from "./pod-group.ts";
import { maxRounds, placeWaiting, type SimulatedController } from "./simulate.ts";

/** The ready Pods during a simulated rollout. */
export interface Availability {
  readonly leastReady: number;
  readonly mostPods: number;
  /** The number of times that new Pods become ready one after another. */
  readonly waves: number;
}

/**
 * Simulates a rollout whose new Pods become ready late: the controller first does everything that
 * it can without them. This shows the smallest number of ready Pods. Undefined if the rollout
 * doesn't complete.
 */
export function simulateAvailability(
  controller: SimulatedController,
  cluster: SimulatedCluster,
): Availability | undefined {
  let leastReady = countReady(controller);
  let mostPods = controller.pods().length;
  let waves = 0;
  const observe = () => {
    leastReady = Math.min(leastReady, countReady(controller));
    mostPods = Math.max(mostPods, controller.pods().length);
  };
  for (let round = 0; round < maxRounds; round++) {
    const changed = controller.reconcile(cluster);
    observe();
    if (controller.isComplete()) return { leastReady, mostPods, waves };
    if (changed) continue;
    // The new Pods become ready together.
    if (placeWaiting(controller.pods(), cluster, []) === 0) return undefined;
    waves++;
  }
  return undefined;
}

function countReady(controller: SimulatedController): number {
  return controller.pods().filter(isAvailable).length;
}
