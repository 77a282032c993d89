import type { Change, Plan } from "../../model/plan.ts";
import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { maxRounds, placeWaiting, type SimulatedController } from "./simulate.ts";
import { type Simulation, startRollout } from "./simulation.ts";
import type { Workload } from "./workload.ts";

/** A workload that can't complete because other workloads took the places that it needed. */
export interface OutrunRollout {
  readonly workload: Workload;
  readonly cluster: SimulatedCluster;
  readonly controller: SimulatedController;
}

interface Runner {
  readonly workload: Workload;
  readonly controller: SimulatedController;
}

/**
 * Simulates workloads that are rolled out at the same time and returns those that get stuck.
 * The first Pod that asks gets a free place. Rollouts that complete one after another can therefore
 * get stuck together.
 * The order isn't predictable, so the caller tries more than one.
 */
export function simulateConcurrently(
  simulation: Simulation,
  workloads: readonly Workload[],
  plan: Plan,
): readonly OutrunRollout[] {
  const { cluster } = simulation;
  let open: readonly Runner[] = workloads.map((workload) => ({
    workload,
    controller: startRollout(simulation, workload).controller,
  }));
  for (let round = 0; round < maxRounds && open.length > 0; round++) {
    const active = startedRunners(open, plan);
    const changed = active.map(({ controller }) => controller.reconcile(cluster)).some(Boolean);
    const pods = active.flatMap(({ controller }) => controller.pods());
    const placed = placeWaiting(pods, cluster, []);
    const left = open.filter((each) => !active.includes(each) || !each.controller.isComplete());
    if (!changed && placed === 0 && left.length === open.length) break;
    open = left;
  }
  return startedRunners(open, plan).map((each) => ({ ...each, cluster }));
}

function startedRunners(open: readonly Runner[], plan: Plan): readonly Runner[] {
  const workloads = open.map(({ workload }) => workload);
  return open.filter(({ workload }) => !waitsForOthers(workload, workloads, plan));
}

/** Reports whether the workload waits for one of the others, directly or through other objects. */
export function waitsForOthers(
  { change }: Workload,
  others: readonly Workload[],
  { changes }: { readonly changes: readonly Change[] },
): boolean {
  const edges = new Map(changes.map(({ key, after }) => [key, after.map(({ on }) => on)]));
  const keys = new Set(others.map((each) => each.change.key));
  const seen = new Set<string>();
  const queue = [...(edges.get(change.key) ?? [])];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    if (key !== change.key && keys.has(key)) return true;
    queue.push(...(edges.get(key) ?? []));
  }
  return false;
}
