import { dotText } from "../../redaction/program-output.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import { ink, nodeStyles } from "./node-styles.ts";
import type { NodeStyleName, PlanGraph } from "./plan-graph.ts";

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
