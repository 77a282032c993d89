import type { Change, Plan } from "../../model/plan.ts";
import type { Board } from "../scheduling/board.ts";
import { type Controller, mostRounds, placeWaiting } from "./simulate.ts";
import { enter, type Scene } from "./trial.ts";
import type { Workload } from "./workload.ts";

/** A workload that can't complete because other workloads took the places that it needed. */
export interface Outrun {
  readonly workload: Workload;
  readonly board: Board;
  readonly controller: Controller;
}

interface Runner {
  readonly workload: Workload;
  readonly controller: Controller;
}

/**
 * Simulates workloads that are rolled out at the same time and returns those that get stuck.
 * The first Pod that asks gets a free place. Rollouts that complete one after another can therefore
 * get stuck together.
 * The order isn't predictable, so the caller tries more than one.
 */
export function rollSideBySide(
  scene: Scene,
  workloads: readonly Workload[],
  plan: Plan,
): readonly Outrun[] {
  const { board } = scene;
  let open: readonly Runner[] = workloads.map((workload) => ({
    workload,
    controller: enter(scene, workload).controller,
  }));
  for (let round = 0; round < mostRounds && open.length > 0; round++) {
    const active = begun(open, plan);
    const changed = active.map(({ controller }) => controller.reconcile(board)).some(Boolean);
    const pods = active.flatMap(({ controller }) => controller.pods());
    const placed = placeWaiting(pods, board, []);
    const left = open.filter((each) => !active.includes(each) || !each.controller.isComplete());
    if (!changed && placed === 0 && left.length === open.length) break;
    open = left;
  }
  return begun(open, plan).map((each) => ({ ...each, board }));
}

function begun(open: readonly Runner[], plan: Plan): readonly Runner[] {
  const workloads = open.map(({ workload }) => workload);
  return open.filter(({ workload }) => !isBehind(workload, workloads, plan));
}

/** Reports whether the workload waits for one of the others, directly or through other objects. */
export function isBehind(
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
