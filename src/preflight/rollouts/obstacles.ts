import type { Board, Obstacle } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";

/** The reasons why one more Pod has no place. */
export interface Standstill {
  readonly nodes: number;
  /** The number of nodes that the Pod could use if they were empty. */
  readonly usable: number;
  /** Each reason with its number of nodes; empty if no Pod waits. */
  readonly reasons: string;
  /** The obstacle on most nodes. */
  readonly chief?: Obstacle | undefined;
}

export function describeStandstill(board: Board, waiting: PodShape | undefined): Standstill {
  const nodes = board.nodes.length;
  if (waiting === undefined) return { nodes, usable: nodes, reasons: "" };
  const sorted = obstaclesBy(board, waiting);
  const reasons = sorted.map(({ text, count }) => `${count} ${text}`).join(", ");
  return { nodes, usable: usableNodes(board, waiting), reasons, chief: sorted[0]?.obstacle };
}

function usableNodes(board: Board, shape: PodShape): number {
  return board.nodes.filter((node) => {
    const obstacle = board.obstacle(shape, node);
    return obstacle?.type !== "not chosen" && obstacle?.type !== "tainted";
  }).length;
}

/**
 * Returns the reasons why no node takes a Pod, with their numbers of nodes, the most frequent
 * first.
 * Nodes that the Pod can never use count only if there are no others.
 */
function obstaclesBy(
  board: Board,
  shape: PodShape,
): readonly { readonly text: string; readonly count: number; readonly obstacle: Obstacle }[] {
  const counts = new Map<string, { readonly count: number; readonly obstacle: Obstacle }>();
  const isUsed = usableNodes(board, shape) > 0;
  for (const node of board.nodes) {
    const obstacle = board.obstacle(shape, node);
    if (obstacle === undefined) continue;
    if (isUsed && (obstacle.type === "not chosen" || obstacle.type === "tainted")) continue;
    const text = describe(obstacle);
    counts.set(text, { count: (counts.get(text)?.count ?? 0) + 1, obstacle });
  }
  return [...counts]
    .map(([text, each]) => ({ text, ...each }))
    .toSorted((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
}

function describe(obstacle: Obstacle): string {
  switch (obstacle.type) {
    case "not chosen":
      return "not asked for by its node rules";
    case "tainted":
      return "with a taint that it does not tolerate";
    case "affinity":
      return "without a Pod that its affinity asks for";
    case "spread":
      return "where its spread constraints allow no more";
    case "claim":
      return "while another Pod uses a claim that only one may use";
    case "volume":
      return "without a volume for its claims";
    case "attachments":
      return `where ${obstacle.driver} attaches no more volumes`;
    case "host port":
      return "where its host port is taken";
    case "room":
      return obstacle.resource === "pods"
        ? "with no place for a further Pod"
        : `without enough ${obstacle.resource}`;
    case "anti-affinity":
      return obstacle.of === "new"
        ? `kept apart by its anti-affinity (${obstacle.topologyKey})`
        : `kept apart by the anti-affinity of Pods that run (${obstacle.topologyKey})`;
  }
}
