import { embedSvg, escapePage, page } from "../../redaction/page.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { nodeStyles } from "../graph/node-styles.ts";
import type { PlanGraph } from "../graph/plan-graph.ts";
import { renderArrowSample, renderBoxSample, renderSvg } from "../graph/svg.ts";
import { actionVerb } from "../text/counts.ts";

/**
 * Renders the drawing of an order with its legend. `tip` is the ID of its arrowhead.
 * The style of the page has the dark colors.
 */
export function renderGraph(graph: PlanGraph, deployment: string, tip: string): Page {
  const label = escapePage(`Diagram of the order of ${deployment}`);
  const image = page`<div role="img" aria-label="Dependencies between the objects; the list below has the order">${embedSvg(renderSvg(graph, tip))}</div>`;
  return page`<div class="graph">${renderLegend(graph, tip)}<div class="scroll" role="region" tabindex="0" aria-label="${label}">${image}</div></div>`;
}

const actions = ["create", "update", "replace", "delete"] as const;

/** Explains only the boxes and arrows that the drawing has. */
function renderLegend({ nodes, edges }: PlanGraph, tip: string): Page {
  const used = actions.filter((action) => nodes.some(({ look }) => look === action));
  const boxes = used.map((action) => {
    const words = escapePage(`${nodeStyles[action].mark}${actionVerb(action)}`);
    return page`<li>${embedSvg(renderBoxSample(action))} ${words}</li>`;
  });
  const arrow = (isDashed: boolean, words: Page) =>
    edges.some(({ reason }) => (reason === "") === isDashed)
      ? [page`<li>${embedSvg(renderArrowSample(isDashed, tip))} ${words}</li>`]
      : [];
  const arrows = [
    ...arrow(false, page`the object at the arrowhead waits`),
    ...arrow(true, page`qvs deletes nothing before all objects are ready`),
  ];
  return page`<ul class="legend" aria-label="Legend">${joined([...boxes, ...arrows], "")}</ul>`;
}
