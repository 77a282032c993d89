import { at, type JsonObject, textAt } from "../../model/json.ts";
import type { Board } from "../scheduling/board.ts";
import { availableIn, desiredIn, fill, type Group, resize, resolveShare } from "./group.ts";
import type { Controller } from "./simulate.ts";

/** The versions of a workload that has ReplicaSets. */
export interface Versions {
  /** The version of the new template; without Pods if it is new. */
  readonly next: Group;
  /** The versions of earlier templates, oldest first. */
  readonly previous: readonly Group[];
}

export interface Bounds {
  readonly replicas: number;
  readonly surge: number;
  readonly unavailable: number;
}

/** Returns how many Pods more and fewer than `replicas` are allowed, rounded as Kubernetes does. */
export function boundsOf(strategy: JsonObject, replicas: number, fallback: string): Bounds {
  const surge = resolveShare(strategy.maxSurge ?? fallback, replicas, Math.ceil);
  const unavailable = resolveShare(strategy.maxUnavailable ?? fallback, replicas, Math.floor);
  // If both are 0, no rollout could ever progress.
  return { replicas, surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/**
 * Simulates the Deployment controller
 * (kubernetes.io/docs/concepts/workloads/controllers/deployment).
 */
export function deploymentController(
  spec: JsonObject,
  replicas: number,
  versions: Versions,
): Controller {
  const recreates = textAt(spec, "strategy", "type") === "Recreate";
  const rolling = at(spec, "strategy", "rollingUpdate");
  const bounds = boundsOf((rolling ?? {}) as JsonObject, replicas, "25%");
  const { next, previous } = versions;
  const all = [...previous, next];
  let isScaled = false;
  return {
    pods: () => all.flatMap(({ pods }) => pods),
    reconcile(board) {
      if (!isScaled) {
        isScaled = true;
        if (scaleActive(versions, bounds, board)) return true;
      }
      const filled = all.map((group) => fill(group, board)).some(Boolean);
      const changed = recreates ? recreate(versions, bounds, board) : roll(versions, bounds, board);
      return changed || filled;
    },
    isComplete: () =>
      next.desired === replicas && availableIn([next]) >= replicas && desiredIn(previous) === 0,
  };
}

/** Applies a new number of replicas to the running versions before the rollout starts. */
function scaleActive(
  { next, previous }: Versions,
  { replicas, surge }: Bounds,
  board: Board,
): boolean {
  const active = [...previous, next].filter(({ desired }) => desired > 0);
  const [only] = active;
  if (only === undefined) return false;
  if (active.length === 1) return resize(only, replicas, board);
  const isScaled = active.some(({ scaledFor }) => (scaledFor?.replicas ?? replicas) !== replicas);
  return isScaled && scaleInProportion(active, replicas === 0 ? 0 : replicas + surge, board);
}

/**
 * Distributes the new size in proportion, the largest version first.
 * Among equal versions, the newer is first when scaling up, and the older when scaling down. The
 * first one gets the remainder.
 */
function scaleInProportion(active: readonly Group[], allowed: number, board: Board): boolean {
  const change = allowed - desiredIn(active);
  const byAge = change > 0 ? active.toReversed() : active;
  const sorted = byAge.toSorted((a, b) => b.desired - a.desired);
  const toward = change > 0 ? Math.min : Math.max;
  let left = change;
  const sizes = sorted.map(({ desired, scaledFor }) => {
    const share = Math.round((desired * allowed) / (scaledFor?.most ?? desiredIn(active)));
    const own = left === 0 ? 0 : toward(share - desired, left);
    left -= own;
    return desired + own;
  });
  return sorted
    .map((group, index) =>
      resize(group, Math.max(0, (sizes[index] ?? 0) + (index === 0 ? left : 0)), board),
    )
    .some(Boolean);
}

function recreate({ next, previous }: Versions, { replicas }: Bounds, board: Board): boolean {
  if (desiredIn(previous) > 0) {
    for (const group of previous) resize(group, 0, board);
    return true;
  }
  return resize(next, replicas, board);
}

function roll(versions: Versions, bounds: Bounds, board: Board): boolean {
  return scaleUp(versions, bounds, board) || scaleDown(versions, bounds, board);
}

function scaleUp({ next, previous }: Versions, { replicas, surge }: Bounds, board: Board): boolean {
  if (next.desired >= replicas) return resize(next, replicas, board);
  const room = replicas + surge - desiredIn([...previous, next]);
  const more = Math.min(room, replicas - next.desired);
  return more > 0 && resize(next, next.desired + more, board);
}

/**
 * Scales down previous versions.
 * Unavailable Pods are removed first, because their removal doesn't reduce availability.
 */
function scaleDown(
  { next, previous }: Versions,
  { replicas, unavailable }: Bounds,
  board: Board,
): boolean {
  const least = replicas - unavailable;
  const all = [...previous, next];
  const newUnavailable = next.desired - availableIn([next]);
  const budget = desiredIn(all) - least - newUnavailable;
  if (desiredIn(previous) === 0 || budget <= 0) return false;
  const cleaned = takeAway(
    previous,
    budget,
    board,
    (group) => group.desired - availableIn([group]),
  );
  const spare = availableIn(all) - least;
  const taken = spare > 0 ? takeAway(previous, spare, board, ({ desired }) => desired) : 0;
  return cleaned + taken > 0;
}

/**
 * Removes Pods from the oldest version on, at most `mostOf` from each.
 * Returns how many it removed.
 */
function takeAway(
  groups: readonly Group[],
  budget: number,
  board: Board,
  mostOf: (group: Group) => number,
): number {
  let left = budget;
  for (const group of groups) {
    const count = Math.min(left, mostOf(group), group.desired);
    if (count <= 0) continue;
    resize(group, group.desired - count, board);
    left -= count;
  }
  return budget - left;
}
