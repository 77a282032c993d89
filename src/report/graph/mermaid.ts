import { mermaidLabel } from "../../redaction/markdown.ts";
import { ink, nodeStyles } from "./node-styles.ts";
import type { GraphEdge, GraphNode, PlanGraph } from "./plan-graph.ts";

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
