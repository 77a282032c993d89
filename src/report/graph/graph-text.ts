import { mermaidLabel } from "../../redaction/markdown.ts";
import { dotText } from "../../redaction/program-output.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import {
  type GraphEdge,
  type GraphNode,
  ink,
  type NodeStyleName,
  nodeStyles,
  type PlanGraph,
} from "./plan-graph.ts";

/** Returns the lines of a Mermaid flowchart. */
export function renderMermaid({ nodes, edges }: PlanGraph): readonly string[] {
  const used = Object.entries(nodeStyles).filter(([look]) =>
    nodes.some((node) => node.look === look),
  );
  const classes = used
    .filter(([look]) => look !== "ready")
    .map(
      ([look, { fill, stroke }]) => `classDef ${look} fill:${fill},stroke:${stroke},color:${ink}`,
    );
  const lines = [...classes, ...nodes.map(box), ...edges.map(arrow)];
  return ["flowchart LR", ...lines.map((line) => `  ${line}`)];
}

function box({ id, label, look }: GraphNode): string {
  if (look === "ready") return `${id}(["${label}"])`;
  const text = mermaidLabel(label);
  return look === "check" ? `${id}{{"${text}"}}:::check` : `${id}["${text}"]:::${look}`;
}

function arrow({ from, to, reason }: GraphEdge): string {
  return `${from} ${reason === "" ? "-.->" : "-->"} ${to}`;
}

/** The shapes of nodes that aren't objects. */
const shapes: Partial<Record<NodeStyleName, string>> = { ready: "oval", check: "hexagon" };

/** Renders a graph for Graphviz: `qvs graph --format dot | dot -Tpng`. */
export function renderDot({ nodes, edges }: PlanGraph): TerminalText {
  const boxes = nodes.map(({ id, label, look }) => {
    const { fill, stroke, mark } = nodeStyles[look];
    const shape = dotText(shapes[look] ?? "box");
    const colors = terminal`fillcolor=${dotText(fill)}, color=${dotText(stroke)}`;
    return terminal`  ${dotText(id)} [label=${dotText(mark + label)}, shape=${shape}, ${colors}];`;
  });
  const arrows = edges.map(({ from, to, reason }) => {
    const style = reason === "" ? terminal`style=dashed` : terminal`tooltip=${dotText(reason)}`;
    return terminal`  ${dotText(from)} -> ${dotText(to)} [${style}];`;
  });
  const style = terminal`  node [style="filled,rounded", fontname="sans-serif", fontcolor=${dotText(ink)}];`;
  const lines = [terminal`digraph plan {`, terminal`  rankdir=LR;`, style, ...boxes, ...arrows];
  return terminal`${joined([...lines, terminal`}`], "\n")}\n`;
}
