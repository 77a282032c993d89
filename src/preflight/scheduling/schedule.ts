import type { Board, SimulatedPod } from "./board.ts";
import type { SchedulingNode } from "./node.ts";

export interface Scheduled {
  readonly isPlaced: boolean;
  /** Pods of lower priority that were evicted for it. */
  readonly evicted: readonly Evicted[];
}

export interface Evicted {
  readonly pod: SimulatedPod;
  readonly node: SchedulingNode;
}

/**
 * Places a Pod as the scheduler does.
 * It prefers a fitting node with few Pods of the same owner. If no node fits, it evicts Pods.
 */
export function schedule(board: Board, pod: SimulatedPod): Scheduled {
  const fitting = board.nodes.filter((node) => board.obstacle(pod.shape, node) === undefined);
  const best = bestOf(board, pod, fitting);
  if (best !== undefined) {
    board.place(pod, best);
    return { isPlaced: true, evicted: [] };
  }
  return preempt(board, pod);
}

/**
 * Returns the best node.
 * The scheduler has more scores. The result depends mainly on the spread of one owner's Pods.
 */
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

/**
 * Places a Pod on the node that requires the fewest evictions of Pods with lower priority.
 * Pods that can still fit stay.
 */
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
