import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { HealthRule } from "../../../../src/model/health-rule.ts";
import type { Json } from "../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { readUnruledKinds } from "../../../../src/planning/facts/health-rules.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";

const widget = (name: string, more = "") => `
app/${name}:
  apiVersion: shop.example/v1
  kind: Widget
  metadata: {name: ${name}${more}}
`;

const crd = (version: string) =>
  objectIn(`
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: widgets.shop.example}
    spec:
      group: shop.example
      names: {plural: widgets, kind: Widget}
      versions: [{name: v1, ${version}}]`);

function objectIn(yaml: string): KubeObject {
  const object: Json = parse(yaml);
  if (!isKubeObject(object)) throw new Error("not an object");
  return object;
}

const phases =
  "schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {phase: {type: string, enum: [Ready, Failed]}}}}}}";

/** Returns the kinds with their derived rules, such as `shop.example/Widget: status.ready`. */
async function unruled(cluster: FakeCluster, plan: Plan): Promise<string> {
  const found = await readUnruledKinds({ cluster, concurrency: 4 }, plan);
  return [...found]
    .map(([kind, { keys, rule }]) => `${kind}: ${rule.current} (${keys.length})`)
    .join("\n");
}

const created = requirePlan({ declared: widget("one") + widget("two") });

describe("a created kind without a health rule", () => {
  it("gets one from its definition", async () => {
    expect(await unruled(fakeCluster([crd(phases)]), created)).toBe(
      "shop.example/Widget: status.phase == 'Ready' (2)",
    );
  });

  it("gets one from the OpenAPI document if the definition can't be read", async () => {
    const denied = refused("forbidden", 403, "customresourcedefinitions is forbidden");
    const schema = { properties: { status: { properties: { ready: { type: "boolean" } } } } };
    const cluster: FakeCluster = {
      ...fakeCluster(),
      read: async () => denied,
      schema: async () => ({ ok: true, value: schema }),
    };
    expect(await unruled(cluster, created)).toBe("shop.example/Widget: status.ready (2)");
  });

  it("gets one without a schema if discovery lists its status", async () => {
    const base = fakeCluster();
    const cluster: FakeCluster = {
      ...base,
      kind: async (apiVersion, kind) => {
        const answer = await base.kind(apiVersion, kind);
        return answer.ok ? { ok: true, value: { ...answer.value, hasStatus: true } } : answer;
      },
    };
    expect(await unruled(cluster, created)).toBe("shop.example/Widget: has(self.status) (2)");
  });

  it("isn't reported without a status", async () => {
    const definition = crd("schema: {openAPIV3Schema: {type: object}}");
    expect(await unruled(fakeCluster([definition]), created)).toBe("");
    expect(await unruled(fakeCluster(), created)).toBe("");
  });
});

describe.each<readonly [string, Plan]>([
  [
    "isn't awaited",
    requirePlan({ declared: widget("a", ", annotations: {vs.axis-dev.io/wait: 'false'}") }),
  ],
  ["doesn't change", requirePlan({ before: widget("a"), declared: widget("a") })],
  [
    "has a rule",
    { ...created, health: [{ ...ruleOf("shop.example"), current: "status.phase == 'Ready'" }] },
  ],
])("a kind whose object %s", (_, plan) => {
  it("isn't reported", async () => {
    expect(await unruled(fakeCluster([crd(phases)]), plan)).toBe("");
  });
});

function ruleOf(group: string): HealthRule {
  return { groups: [group], kinds: ["Widget"], current: "true", source: "qvs.yaml:1" };
}

describe("an updated object", () => {
  const update = (status: string) => {
    const plan = requirePlan({
      before: widget("a"),
      declared: widget("a", ", annotations: {size: large}"),
    });
    const changes = plan.changes.map((change) => ({
      ...change,
      live: change.live && { ...change.live, status: parse(status) as Json },
    }));
    return { ...plan, changes };
  };

  it("isn't reported if its status shows its state", async () => {
    expect(await unruled(fakeCluster([crd(phases)]), update("{phase: Ready}"))).toBe("");
  });

  it("is reported if its status shows no state", async () => {
    expect(await unruled(fakeCluster([crd(phases)]), update("{address: a}"))).toBe(
      "shop.example/Widget: status.phase == 'Ready' (1)",
    );
  });
});
