import { describe, expect, it } from "vitest";
import type { Edge, Plan } from "../../../../src/model/plan/plan.ts";
import { renderDot, renderMermaid } from "../../../../src/report/graph/graph-text.ts";
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

  it("contains the checks that objects wait for, and the objects that the checks need", () => {
    const needs = { on: "settings-2", reason: "it sends its requests to this Service" };
    expect(arrows(shop, { checks: ["db"], gate: { after: [needs], before: ["web"] } })).toEqual([
      "Deployment shop/settings-2 → Check shop/db",
      "Check shop/db → Deployment shop/web",
      "Deployment shop/web → all objects ready",
      "all objects ready → Deployment shop/settings-1",
    ]);
    // No object in the graph waits for the check.
    expect(arrows(shop, { checks: ["db"], gate: { after: [], before: ["api"] } })).not.toContain(
      "Check shop/db",
    );
  });

  it("contains the checks between the last object and the first deletion", () => {
    expect(arrows(shop, { checks: ["smoke"] })).toEqual([
      "Deployment shop/settings-2 → Deployment shop/web",
      "Deployment shop/web → all objects ready",
      "all objects ready → Check shop/smoke",
      "Check shop/smoke → Deployment shop/settings-1",
    ]);
    const two = planOf(["web update"], ["settings-1", "settings-2"]);
    expect(arrows(two, { checks: ["smoke", "errors"] })).toEqual([
      "Deployment shop/web → all objects ready",
      "all objects ready → Check shop/smoke",
      "all objects ready → Check shop/errors",
      "Check shop/smoke → all checks passed",
      "Check shop/errors → all checks passed",
      "all checks passed → Deployment shop/settings-1",
      "all checks passed → Deployment shop/settings-2",
    ]);
  });

  it("contains checks without deletions, without objects to apply, and never alone", () => {
    const checks = ["smoke"];
    expect(arrows(planOf(["web update"]), { checks })).toEqual([
      "Deployment shop/web → all objects ready",
      "all objects ready → Check shop/smoke",
    ]);
    expect(arrows(planOf([], ["web"]), { checks })).toEqual([
      "Check shop/smoke → Deployment shop/web",
    ]);
    const unchanged = planGraph(withChecks(planOf(["web unchanged"]), { checks }), "changes");
    expect(unchanged).toEqual({ nodes: [], edges: [] });
  });

  it("draws a check in its own shape", () => {
    const graph = planGraph(withChecks(planOf(["web update"]), { checks: ["smoke"] }), "changes");
    expect(renderMermaid(graph)).toContain('  n1{{"Check shop/smoke"}}:::check');
    expect(renderDot(graph)).toContain('label="Check shop/smoke", shape="hexagon"');
    expect(renderSvg(graph)).toMatch(/<g class="check"><polygon points="[\d., ]+"/);
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

interface Checks {
  readonly checks: readonly string[];
  /** The place of the first check; undefined if it runs before the deletions. */
  readonly gate?: { readonly after: readonly Edge[]; readonly before: readonly string[] };
}

function withChecks(plan: Plan, { checks, gate }: Checks): Plan {
  const [name = ""] = checks;
  const key = `core:Check::shop/${name}`;
  const wait = { on: key, reason: "annotation" };
  const changes = plan.changes.map((change) =>
    gate?.before.includes(change.key) ? { ...change, after: [...change.after, wait] } : change,
  );
  return {
    ...{ ...plan, changes },
    checks: checks.map((each) => ({ type: "job", name: each, timeoutMs: 1, spec: {} })),
    gates: gate === undefined ? [] : [{ ...gate, key, name, stage: "app", digest: "1" }],
  };
}

/** Returns the arrows between the changes of a plan with these checks. */
function arrows(plan: Plan, checks: Checks): readonly string[] {
  const { nodes, edges } = planGraph(withChecks(plan, checks), "changes");
  const label = (id: string) => nodes.find((node) => node.id === id)?.label;
  return edges.map(({ from, to }) => `${label(from)} → ${label(to)}`);
}

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
