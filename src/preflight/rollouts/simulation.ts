import type { Change, Plan } from "../../model/plan/plan.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type EvictedPod, schedule } from "../scheduling/schedule.ts";
import type { SchedulingNode } from "../scheduling/scheduling-node.ts";
import {
  createSimulatedCluster,
  type SimulatedCluster,
  type SimulatedPod,
} from "../scheduling/simulated-cluster.ts";
import { buildController } from "./build-controller.ts";
import type { ClusterSnapshot, LivePod } from "./cluster-snapshot.ts";
import type { Assumption } from "./controller-input.ts";
import type { WorkloadPod } from "./pod-group.ts";
import type { Workload } from "./workload.ts";

/** The running Pods of the cluster, which trials change and restore. */
export interface Simulation {
  readonly state: ClusterSnapshot;
  readonly cluster: SimulatedCluster;
  /** The running Pods, by their topmost owner. */
  readonly pods: ReadonlyMap<string, readonly PlacedPod[]>;
  /** The keys of objects that are deleted after everything is ready. */
  readonly deletedKeys: ReadonlySet<string>;
}

/** A running Pod with its owner. */
export interface PlacedPod extends SimulatedPod {
  readonly live: LivePod;
}

interface RolloutTrial {
  readonly ending: RolloutEnding;
  /** The number of the workload's Pods that run at the end. */
  readonly running: number;
  /** Restores the state before the trial. */
  undo(): void;
}

/** Places the running Pods on their nodes and leaves out waiting Pods. */
export function createSimulation(
  state: ClusterSnapshot,
  pods: readonly PlacedPod[],
  deletedKeys: ReadonlySet<string>,
): Simulation {
  const cluster = createSimulatedCluster(state.nodes);
  for (const pod of pods) if (pod.live.node !== undefined) cluster.place(pod, pod.live.node);
  return { state, cluster, deletedKeys, pods: Map.groupBy(pods, ({ owner }) => owner) };
}

interface StartedRollout {
  readonly controller: SimulatedController;
  /** The workload's current Pods, and those of deleted objects if the trial ignores them. */
  readonly removed: readonly { readonly pod: PlacedPod; readonly node: SchedulingNode }[];
}

/** Replaces the running Pods of a workload with those of its simulated controller. */
function startRollout(
  { state, cluster, pods, deletedKeys }: Simulation,
  workload: Workload,
  assumption: Assumption = {},
): StartedRollout {
  const own = pods.get(workload.change.key) ?? [];
  const deletedPods =
    assumption.alone === true ? [...deletedKeys].flatMap((key) => pods.get(key) ?? []) : [];
  const removed = [...own, ...deletedPods].flatMap((pod) =>
    pod.node === undefined ? [] : [{ pod, node: pod.node }],
  );
  for (const { pod } of removed) cluster.remove(pod);
  const livePods =
    assumption.alone === true ? [] : own.map(({ live, owner }) => ({ ...live, owner }));
  const controller = buildController(state, workload, livePods, assumption);
  for (const pod of controller.pods()) if (pod.node !== undefined) cluster.place(pod, pod.node);
  return { controller, removed };
}

/** Simulates the rollout of a workload until its controller and the scheduler change nothing. */
export function tryRollout(
  simulation: Simulation,
  workload: Workload,
  assumption?: Assumption,
): RolloutTrial {
  const { cluster } = simulation;
  const forgetVolumes = cluster.startVolumeTrial();
  const { controller, removed } = startRollout(simulation, workload, assumption);
  const ending = simulate(controller, cluster);
  const running = controller.pods().filter(({ node }) => node !== undefined);
  return {
    ending,
    running: running.length,
    undo() {
      for (const pod of running) cluster.remove(pod);
      forgetVolumes();
      for (const { pod, node } of [...ending.evicted, ...removed]) cluster.place(pod, node);
    },
  };
}

/** A workload that can't complete because other workloads took the places that it needed. */
interface OutrunRollout {
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
function simulate(controller: SimulatedController, cluster: SimulatedCluster): RolloutEnding {
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
