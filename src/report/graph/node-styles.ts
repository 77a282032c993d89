import type { NodeStyleName } from "./plan-graph.ts";

export interface NodeStyle {
  readonly fill: string;
  readonly stroke: string;
  /** The mark of the action. Many readers can't distinguish the colors. */
  readonly mark: string;
}

/** GitHub's colors for additions, changes and deletions. A check has its own shape. */
export const nodeStyles: Readonly<Record<NodeStyleName, NodeStyle>> = {
  create: { fill: "#dafbe1", stroke: "#1a7f37", mark: "+ " },
  update: { fill: "#fff8c5", stroke: "#9a6700", mark: "~ " },
  replace: { fill: "#ffebe9", stroke: "#9a6700", mark: "± " },
  delete: { fill: "#ffebe9", stroke: "#cf222e", mark: "- " },
  unchanged: { fill: "#f6f8fa", stroke: "#8c959f", mark: "" },
  check: { fill: "#ddf4ff", stroke: "#0969da", mark: "" },
  awaited: { fill: "#ffffff", stroke: "#8c959f", mark: "waits for " },
  ready: { fill: "#ffffff", stroke: "#1f2328", mark: "" },
};

export const ink = "#1f2328";
