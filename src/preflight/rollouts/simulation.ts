import type { SchedulingNode } from "../scheduling/scheduling-node.ts";
import {
  createSimulatedCluster,
  type SimulatedCluster,
  type SimulatedPod,
} from "../scheduling/simulated-cluster.ts";
import { buildController } from "./build-controller.ts";
import type { ClusterSnapshot, LivePod } from "./cluster-snapshot.ts";
import type { Assumption } from "./controller-input.ts";
import { type RolloutEnding, type SimulatedController, simulate } from "./simulate.ts";
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

export interface RolloutTrial {
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
export function startRollout(
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
