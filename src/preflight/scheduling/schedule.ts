import type { SchedulingNode } from "./scheduling-node.ts";
import type { SimulatedCluster, SimulatedPod } from "./simulated-cluster.ts";

export interface SchedulingResult {
  readonly isPlaced: boolean;
  /** Pods of lower priority that were evicted for it. */
  readonly evicted: readonly EvictedPod[];
}

export interface EvictedPod {
  readonly pod: SimulatedPod;
  readonly node: SchedulingNode;
}

/**
 * Places a Pod as the scheduler does.
 * It prefers a fitting node with few Pods of the same owner. If no node fits, it evicts Pods.
 */
export function schedule(cluster: SimulatedCluster, pod: SimulatedPod): SchedulingResult {
  const fitting = cluster.nodes.filter((node) => cluster.obstacle(pod.shape, node) === undefined);
  const best = bestNode(cluster, pod, fitting);
  if (best !== undefined) {
    cluster.place(pod, best);
    return { isPlaced: true, evicted: [] };
  }
  return preempt(cluster, pod);
}

/**
 * Returns the best node.
 * The scheduler has more scores. The result depends mainly on the spread of one owner's Pods.
 */
function bestNode(
  cluster: SimulatedCluster,
  { shape, owner }: SimulatedPod,
  nodes: readonly SchedulingNode[],
): SchedulingNode | undefined {
  const score = (node: SchedulingNode) => {
    const alike = [...cluster.nodePods(node)].filter((other) => other.owner === owner).length;
    return -alike + cluster.freeShare(shape, node);
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
function preempt(cluster: SimulatedCluster, pod: SimulatedPod): SchedulingResult {
  if (!pod.shape.preempts) return { isPlaced: false, evicted: [] };
  const trials = cluster.nodes.flatMap((node) => {
    const victims = findVictims(cluster, pod, node);
    return victims === undefined ? [] : [{ node, victims }];
  });
  const [best] = trials.toSorted((a, b) => a.victims.length - b.victims.length);
  if (best === undefined) return { isPlaced: false, evicted: [] };
  for (const victim of best.victims) cluster.remove(victim);
  cluster.place(pod, best.node);
  return { isPlaced: true, evicted: best.victims.map((each) => ({ pod: each, node: best.node })) };
}

function findVictims(
  cluster: SimulatedCluster,
  { shape }: SimulatedPod,
  node: SchedulingNode,
): readonly SimulatedPod[] | undefined {
  const lower = [...cluster.nodePods(node)].filter(
    (other) => other.shape.priority < shape.priority,
  );
  if (lower.length === 0) return undefined;
  for (const each of lower) cluster.remove(each);
  const fits = cluster.obstacle(shape, node) === undefined;
  const victims: SimulatedPod[] = [];
  for (const each of lower.toSorted((a, b) => b.shape.priority - a.shape.priority)) {
    cluster.place(each, node);
    if (!fits || cluster.obstacle(shape, node) === undefined) continue;
    cluster.remove(each);
    victims.push(each);
  }
  for (const victim of victims) cluster.place(victim, node);
  return fits ? victims : undefined;
}
