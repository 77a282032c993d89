import { Graph, layout } from "@dagrejs/dagre";
import { type Svg, svg, svgText } from "../../redaction/program-output.ts";
import { joined } from "../../redaction/shown.ts";
import {
  type GraphNode,
  ink,
  type NodeStyleName,
  nodeStyles,
  type PlanGraph,
} from "./plan-graph.ts";

const height = 32;
const margin = 16;
/** The average width of a letter at 13 px. */
const letter = 7.4;

/** A box by its center. */
interface NodeBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Point = Pick<NodeBox, "x" | "y">;

/**
 * Renders a graph as a standalone SVG image: boxes from left to right.
 * An arrow leads from each object to those that wait for it. Several images in one document need
 * different `id` values.
 */
export function renderSvg(graph: PlanGraph, id = "tip"): Svg {
  const drawing = new Graph({ multigraph: false });
  drawing.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 44, marginx: margin, marginy: margin });
  drawing.setDefaultEdgeLabel(() => ({}));
  for (const node of graph.nodes) drawing.setNode(node.id, { width: nodeWidth(node), height });
  for (const { from, to, reason } of graph.edges) drawing.setEdge(from, to, { reason });
  layout(drawing);
  const size = drawing.graph() as unknown as { readonly width?: number; readonly height?: number };
  const [wide, high] = [Math.ceil(size.width ?? 0), Math.ceil(size.height ?? 0)];
  const arrows = graph.edges.map(({ from, to, reason }) => {
    const { points } = drawing.edge(from, to) as unknown as { readonly points: readonly Point[] };
    return arrow(points, reason, id);
  });
  const boxes = graph.nodes.map((node) => box(node, drawing.node(node.id) as unknown as NodeBox));
  const head = svg`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" font-family="system-ui, sans-serif" font-size="13">`;
  return svg`${joined([head, arrowTip(id), ...arrows, ...boxes, svg`</svg>`], "\n")}\n`;
}

function arrowTip(id: string): Svg {
  return svg`<defs><marker id="${svgText(id)}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>`;
}

function nodeLabel({ look, label }: GraphNode): string {
  return nodeStyles[look].mark + label;
}

function nodeWidth(node: GraphNode): number {
  const sides = node.look === "check" ? 36 : 24;
  return Math.ceil(nodeLabel(node).length * letter) + sides;
}

function box(node: GraphNode, { x, y, width }: NodeBox): Svg {
  const frame = drawFrame(node.look, { x, y, width, height });
  return svg`<g class="${svgText(node.look)}">${frame}<text x="${rounded(x)}" y="${rounded(y + 4.5)}" text-anchor="middle" fill="${svgText(ink)}">${svgText(nodeLabel(node))}</text></g>`;
}

/** Draws a frame around a center: a hexagon for a check, a rectangle for everything else. */
function drawFrame(look: NodeStyleName, { x, y, width, height: high }: NodeBox): Svg {
  const { fill, stroke } = nodeStyles[look];
  const colors = svg`fill="${svgText(fill)}" stroke="${svgText(stroke)}"`;
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - high / 2, y + high / 2];
  if (look !== "check") {
    const radius = look === "ready" ? high / 2 : Math.min(6, high / 4);
    return svg`<rect x="${rounded(left)}" y="${rounded(top)}" width="${rounded(width)}" height="${rounded(high)}" rx="${rounded(radius)}" ${colors}/>`;
  }
  const corner = high / 3;
  const corners = [
    [left, y],
    [left + corner, top],
    [right - corner, top],
    [right, y],
    [right - corner, bottom],
    [left + corner, bottom],
  ].map((point) => point.map(rounded).join(","));
  return svg`<polygon points="${svgText(corners.join(" "))}" ${colors}/>`;
}

function arrow(points: readonly Point[], reason: string, id: string): Svg {
  const title = reason === "" ? svg`` : svg`<title>${svgText(reason)}</title>`;
  return line(points, { isDashed: reason === "", id, title });
}

interface LineOptions {
  readonly isDashed: boolean;
  /** The ID of the arrowhead. */
  readonly id: string;
  readonly title: Svg;
}

function line(points: readonly Point[], { isDashed, id, title }: LineOptions): Svg {
  const path = points.map(
    ({ x, y }, index) => `${index === 0 ? "M" : "L"}${rounded(x)} ${rounded(y)}`,
  );
  const dashes = isDashed ? svg` stroke-dasharray="5 4"` : svg``;
  return svg`<path d="${svgText(path.join(" "))}" fill="none" stroke="#57606a"${dashes} marker-end="url(#${svgText(id)})">${title}</path>`;
}

/** Renders a small box in the colors of a look, for a legend. */
export function renderBoxSample(look: NodeStyleName): Svg {
  const frame = drawFrame(look, { x: 9, y: 7, width: 16, height: 12 });
  return svg`<svg width="18" height="14" aria-hidden="true"><g class="${svgText(look)}">${frame}</g></svg>`;
}

/** Renders a short arrow for a legend. `id` is that of the drawing, whose arrowhead it uses. */
export function renderArrowSample(isDashed: boolean, id: string): Svg {
  const points = [0, 32].map((x) => ({ x, y: 7 }));
  return svg`<svg width="34" height="14" aria-hidden="true">${line(points, { isDashed, id, title: svg`` })}</svg>`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
