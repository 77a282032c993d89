import { type Board, createBoard, type SimulatedPod } from "../scheduling/board.ts";
import type { SchedulingNode } from "../scheduling/node.ts";
import { buildController } from "./build-controller.ts";
import type { ClusterState, LivePod } from "./cluster-state.ts";
import type { Assumption } from "./own-pods.ts";
import { type Controller, type Ending, simulate } from "./simulate.ts";
import type { Workload } from "./workload.ts";

/** The running Pods of the cluster, which trials change and restore. */
export interface Scene {
  readonly state: ClusterState;
  readonly board: Board;
  /** The running Pods, by their topmost owner. */
  readonly pods: ReadonlyMap<string, readonly PlacedPod[]>;
  /** The keys of objects that are deleted after everything is ready. */
  readonly leaving: ReadonlySet<string>;
}

/** A running Pod with its owner. */
export interface PlacedPod extends SimulatedPod {
  readonly live: LivePod;
}

export interface Trial {
  readonly ending: Ending;
  /** The number of the workload's Pods that run at the end. */
  readonly running: number;
  /** Restores the state before the trial. */
  undo(): void;
}

/** Places the running Pods on their nodes and leaves out waiting Pods. */
export function setScene(
  state: ClusterState,
  pods: readonly PlacedPod[],
  leaving: ReadonlySet<string>,
): Scene {
  const board = createBoard(state.nodes);
  for (const pod of pods) if (pod.live.node !== undefined) board.place(pod, pod.live.node);
  return { state, board, leaving, pods: Map.groupBy(pods, ({ owner }) => owner) };
}

interface Entered {
  readonly controller: Controller;
  /** The workload's current Pods, and those of deleted objects if the trial ignores them. */
  readonly removed: readonly { readonly pod: PlacedPod; readonly node: SchedulingNode }[];
}

/** Replaces the running Pods of a workload with those of its simulated controller. */
export function enter(
  { state, board, pods, leaving }: Scene,
  workload: Workload,
  assumption: Assumption = {},
): Entered {
  const own = pods.get(workload.change.key) ?? [];
  const gone = assumption.alone === true ? [...leaving].flatMap((key) => pods.get(key) ?? []) : [];
  const removed = [...own, ...gone].flatMap((pod) =>
    pod.node === undefined ? [] : [{ pod, node: pod.node }],
  );
  for (const { pod } of removed) board.remove(pod);
  const seen = assumption.alone === true ? [] : own.map(({ live, owner }) => ({ ...live, owner }));
  const controller = buildController(state, workload, seen, assumption);
  for (const pod of controller.pods()) if (pod.node !== undefined) board.place(pod, pod.node);
  return { controller, removed };
}

/** Simulates the rollout of a workload until its controller and the scheduler change nothing. */
export function tryRollout(scene: Scene, workload: Workload, assumption?: Assumption): Trial {
  const { board } = scene;
  const forgetVolumes = board.rememberVolumes();
  const { controller, removed } = enter(scene, workload, assumption);
  const ending = simulate(controller, board);
  const running = controller.pods().filter(({ node }) => node !== undefined);
  return {
    ending,
    running: running.length,
    undo() {
      for (const pod of running) board.remove(pod);
      forgetVolumes();
      for (const { pod, node } of [...ending.evicted, ...removed]) board.place(pod, node);
    },
  };
}
