import { renderMermaid } from "../graph/mermaid.ts";
import { orderGraph } from "../graph/plan-graph.ts";
import type { OrderedObject } from "../review/review.ts";

/** GitHub renders larger graphs too small to read. */
export const maxGraphNodes = 12;

/**
 * Renders the order of a plan's changes as Mermaid lines.
 * Returns undefined if no change waits for another one, or if there are too many objects.
 */
export function renderOrderGraph(order: readonly OrderedObject[]): readonly string[] | undefined {
  const graph = orderGraph(order);
  const objects = graph.nodes.filter(({ look }) => look !== "ready");
  if (graph.edges.length === 0 || objects.length > maxGraphNodes) return undefined;
  return renderMermaid(graph);
}
