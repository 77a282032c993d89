import { renderMermaid } from "../graph/mermaid.ts";
import { orderGraph } from "../graph/plan-graph.ts";
import type { OrderedObject } from "../review/review.ts";

/** GitHub draws larger graphs too small to read. */
export const maxNodes = 12;

/**
 * The order in which a plan's changes happen, as Mermaid lines; undefined when no change waits for another one, or when
 * there are too many to draw.
 */
export function renderOrder(order: readonly OrderedObject[]): readonly string[] | undefined {
  const graph = orderGraph(order);
  const objects = graph.nodes.filter(({ look }) => look !== "ready");
  if (graph.edges.length === 0 || objects.length > maxNodes) return undefined;
  return renderMermaid(graph);
}
