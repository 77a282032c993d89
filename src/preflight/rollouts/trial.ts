import { type Board, createBoard, type SimulatedPod } from "../scheduling/board.ts";
import type { SchedulingNode } from "../scheduling/node.ts";
import { buildController } from "./build-controller.ts";
import type { ClusterState, LivePod } from "./cluster-state.ts";
import type { Assumption } from "./own-pods.ts";
import { type Controller, type Ending, simulate } from "./simulate.ts";
import type { Workload } from "./workload.ts";

/** Everything that runs, which trials change and put back. */
export interface Scene {
  readonly state: ClusterState;
  readonly board: Board;
  /** What runs, by the object that it belongs to in the end. */
  readonly pods: ReadonlyMap<string, readonly PlacedPod[]>;
  /** Objects that are deleted once everything is ready. */
  readonly leaving: ReadonlySet<string>;
}

/** A Pod that runs and belongs to somebody. */
export interface PlacedPod extends SimulatedPod {
  readonly live: LivePod;
}

export interface Trial {
  readonly ending: Ending;
  /** How many of its Pods run at the end. */
  readonly running: number;
  /** Puts everything back as it was. */
  undo(): void;
}

/** Places everything that runs; what waits for a place is none of it. */
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
  /** What its controller has now, or what would be gone. */
  readonly removed: readonly { readonly pod: PlacedPod; readonly node: SchedulingNode }[];
}

/** Hands the Pods that run of a workload to its controller. */
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

/** What would become of a workload: its controller and the scheduler take turns until nothing moves. */
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
