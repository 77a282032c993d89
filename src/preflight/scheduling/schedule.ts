import type { Board, SimulatedPod } from "./board.ts";
import type { SchedulingNode } from "./node.ts";

export interface Scheduled {
  readonly isPlaced: boolean;
  /** Pods of lower priority that had to go for it. */
  readonly evicted: readonly Evicted[];
}

export interface Evicted {
  readonly pod: SimulatedPod;
  readonly node: SchedulingNode;
}

/** Finds a place for a Pod as the scheduler does: where it fits, best where few like it run, else by eviction. */
export function schedule(board: Board, pod: SimulatedPod): Scheduled {
  const fitting = board.nodes.filter((node) => board.obstacle(pod.shape, node) === undefined);
  const best = bestOf(board, pod, fitting);
  if (best !== undefined) {
    board.place(pod, best);
    return { isPlaced: true, evicted: [] };
  }
  return preempt(board, pod);
}

/** The scheduler's own scores weigh more than this; what decides here is that it spreads Pods of one owner. */
function bestOf(
  board: Board,
  { shape, owner }: SimulatedPod,
  nodes: readonly SchedulingNode[],
): SchedulingNode | undefined {
  const score = (node: SchedulingNode) => {
    const alike = [...board.podsOn(node)].filter((other) => other.owner === owner).length;
    return -alike + board.freeShare(shape, node);
  };
  const scored = nodes.map((node) => ({ node, score: score(node) }));
  return scored.toSorted((a, b) => b.score - a.score || byName(a.node, b.node))[0]?.node;
}

function byName(a: SchedulingNode, b: SchedulingNode): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** The node where the fewest Pods of lower priority have to go; those that may stay after all stay. */
function preempt(board: Board, pod: SimulatedPod): Scheduled {
  if (!pod.shape.preempts) return { isPlaced: false, evicted: [] };
  const trials = board.nodes.flatMap((node) => {
    const victims = victimsOn(board, pod, node);
    return victims === undefined ? [] : [{ node, victims }];
  });
  const [best] = trials.toSorted((a, b) => a.victims.length - b.victims.length);
  if (best === undefined) return { isPlaced: false, evicted: [] };
  for (const victim of best.victims) board.remove(victim);
  board.place(pod, best.node);
  return { isPlaced: true, evicted: best.victims.map((each) => ({ pod: each, node: best.node })) };
}

function victimsOn(
  board: Board,
  { shape }: SimulatedPod,
  node: SchedulingNode,
): readonly SimulatedPod[] | undefined {
  const lower = [...board.podsOn(node)].filter((other) => other.shape.priority < shape.priority);
  if (lower.length === 0) return undefined;
  for (const each of lower) board.remove(each);
  const fits = board.obstacle(shape, node) === undefined;
  const victims: SimulatedPod[] = [];
  for (const each of lower.toSorted((a, b) => b.shape.priority - a.shape.priority)) {
    board.place(each, node);
    if (!fits || board.obstacle(shape, node) === undefined) continue;
    board.remove(each);
    victims.push(each);
  }
  for (const victim of victims) board.place(victim, node);
  return fits ? victims : undefined;
}
