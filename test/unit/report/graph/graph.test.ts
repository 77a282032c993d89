import { describe, expect, it } from "vitest";
import type { Plan } from "../../../../src/model/plan.ts";
import { renderDot } from "../../../../src/report/graph/dot.ts";
import { renderMermaid } from "../../../../src/report/graph/mermaid.ts";
import { planGraph } from "../../../../src/report/graph/plan-graph.ts";
import { renderSvg } from "../../../../src/report/graph/svg.ts";

const shop = planOf(
  ["settings-2 create", "web update settings-2", "api unchanged"],
  ["settings-1"],
);

describe("the graph of a plan", () => {
  it("contains changes and a node before the first deletion", () => {
    expect(renderMermaid(planGraph(shop, "changes"))).toEqual([
      "flowchart LR",
      "  classDef create fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
      "  classDef update fill:#fff8c5,stroke:#9a6700,color:#1f2328",
      "  classDef delete fill:#ffebe9,stroke:#cf222e,color:#1f2328",
      '  n0["Deployment shop/settings-2"]:::create',
      '  n1["Deployment shop/web"]:::update',
      '  n2["Deployment shop/settings-1"]:::delete',
      '  ready(["all objects ready"])',
      "  n0 --> n1",
      "  n1 -.-> ready",
      "  ready -.-> n2",
    ]);
  });

  it("contains all declared objects and awaited objects outside the deployment", () => {
    const awaited = [
      { key: "core:Secret::shop/db", id: shop.changes[0]?.id as never, live: {} as never },
    ];
    const labels = planGraph({ ...shop, awaited }, "all").nodes.map(
      ({ label, look }) => `${look} ${label}`,
    );
    expect(labels).toEqual([
      "create Deployment shop/settings-2",
      "update Deployment shop/web",
      "unchanged Deployment shop/api",
      "awaited Secret shop/db",
      "delete Deployment shop/settings-1",
      "ready all objects ready",
    ]);
  });

  it("contains the checks that objects wait for", () => {
    const key = "core:Check::shop/db";
    const gate = { key, name: "db", stage: "app", after: [], digest: "1" } as const;
    const changes = shop.changes.map((change) => ({
      ...change,
      after: [...change.after, ...(change.id.name === "web" ? [{ on: key, reason: "" }] : [])],
    }));
    const { nodes, edges } = planGraph(
      { ...shop, changes, gates: [{ ...gate, before: ["web"] }] },
      "changes",
    );
    const label = (id: string) => nodes.find((node) => node.id === id)?.label;
    expect(edges.map(({ from, to }) => `${label(from)} → ${label(to)}`)).toContain(
      "Check shop/db → Deployment shop/web",
    );
  });

  it("can be written for Graphviz, with the reasons", () => {
    expect(renderDot(planGraph(planOf(["a create", "b create a"]), "all"))).toBe(
      `digraph plan {
  rankdir=LR;
  node [style="filled,rounded", fontname="sans-serif", fontcolor="#1f2328"];
  "n0" [label="+ Deployment shop/a", shape="box", fillcolor="#dafbe1", color="#1a7f37"];
  "n1" [label="+ Deployment shop/b", shape="box", fillcolor="#dafbe1", color="#1a7f37"];
  "n0" -> "n1" [tooltip="its Pod template reads it"];
}
`,
    );
  });

  it("can be drawn without overlaps, with arrows from left to right", () => {
    const svg = renderSvg(
      planGraph(planOf(["a create", "b create a", "c create a", "d create b c"]), "all"),
    );
    const boxes = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)].map(
      (match) => match.slice(1).map(Number),
    );
    expect(boxes).toHaveLength(4);
    const xs = boxes.map(([x = 0]) => x);
    expect(xs[0]).toBeLessThan(xs[1] ?? 0);
    expect(xs[1]).toBe(xs[2]);
    expect(xs[2]).toBeLessThan(xs[3] ?? 0);
    expect(boxes[1]?.[1]).not.toBe(boxes[2]?.[1]);
    expect(svg.match(/<path d="M[^"]*" fill="none"/g)).toHaveLength(4);
  });

  it("encodes untrusted text", () => {
    const hostile = planOf(['a"];<script>&\\ create']);
    expect(renderDot(planGraph(hostile, "all"))).toContain('a\\"];<script>&\\\\"');
    const svg = renderSvg(planGraph(hostile, "all"));
    expect(svg).toContain("a&#34;];&#60;script&#62;&#38;\\");
    expect(svg).not.toContain("<script>");
  });

  it("with hundreds of objects can be drawn", { tags: "slow" }, () => {
    const names = Array.from(
      { length: 300 },
      (_, i) => `o${i} create${i === 0 ? "" : ` o${i >> 2}`}`,
    );
    expect(renderSvg(planGraph(planOf(names), "all")).match(/<rect/g)).toHaveLength(300);
  });
});

/** Parses lines such as `name action dependencies…`, and the names of deletions. */
function planOf(changes: readonly string[], deletions: readonly string[] = []): Plan {
  const idOf = (name: string) => ({ group: "apps", kind: "Deployment", namespace: "shop", name });
  const plan = {
    ...{ deployment: "shop", namespace: "shop", kept: [], notices: [], digest: "" },
    changes: changes.map((line) => {
      const [name = "", action, ...on] = line.split(" ");
      const after = on.map((each) => ({ on: each, reason: "its Pod template reads it" }));
      return { key: name, id: idOf(name), action, after, steps: [], desired: { metadata: {} } };
    }),
    deletions: deletions.map((name) => ({ key: name, id: idOf(name), after: [] })),
  };
  return plan as unknown as Plan;
}
