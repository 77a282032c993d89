import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { HealthRule } from "../../../../src/model/health-rule.ts";
import type { Json } from "../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../src/model/object.ts";
import { readHealthRuleFaults } from "../../../../src/planning/facts/health-rules.ts";
import { unknownHealthField } from "../../../../src/preflight/rules/unknown-health-field.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { noFacts } from "../../preflight/rules/run-rule.ts";

const crd = objectIn(`
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.shop.example}
  spec:
    group: shop.example
    names: {plural: widgets, kind: Widget}
    versions:
      - name: v1
        schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {phase: {type: string}}}}}}`);

function objectIn(yaml: string): KubeObject {
  const object: Json = parse(yaml);
  if (!isKubeObject(object)) throw new Error("not an object");
  return object;
}

const widget = (annotations = "{}") => `
app/one:
  apiVersion: shop.example/v1
  kind: Widget
  metadata: {name: one, annotations: ${annotations}}
`;

/** Returns the findings about a rule, with their place and their fix. */
async function findings(
  expressions: Partial<HealthRule>,
  declared = widget(),
  before = "",
): Promise<string> {
  const rule = {
    ...{ groups: ["shop.example"], kinds: ["Widget"], source: ".valuestream/qvs.yaml:7" },
    ...{ current: "status.phase == 'Ready'", ...expressions },
  };
  const plan = { ...requirePlan({ before, declared }), health: [rule] };
  const reader = { cluster: fakeCluster([crd]), concurrency: 2 };
  const healthRuleFaults = await readHealthRuleFaults(reader, plan);
  return unknownHealthField({ plan, facts: { ...noFacts, healthRuleFaults } })
    .map(
      ({ severity, what, fix, where: [place] }) =>
        `${severity}: ${what}\n  ${place?.file}:${place?.line}\n  ${fix}`,
    )
    .join("\n");
}

describe("a rule that reads a field which the cluster's definition lacks", () => {
  it("is an error with a suggestion if the object could never be ready", async () => {
    expect(await findings({ current: "status.phse == 'Ready'" })).toBe(
      `error: Widget shop/one: current in the health rule of Widget reads the unknown field "status.phse"
  .valuestream/qvs.yaml:7
  Did you mean "phase"?`,
    );
  });

  it("is a warning in another expression", async () => {
    expect(await findings({ failed: "status.broken" })).toBe(
      `warning: Widget shop/one: failed in the health rule of Widget reads the unknown field "status.broken"
  .valuestream/qvs.yaml:7
  Use a field of the CustomResourceDefinition`,
    );
  });

  it("isn't reported if nothing waits for the rule", async () => {
    const wrong = { current: "status.phse == 'Ready'" };
    expect(await findings(wrong, widget("{vs.axis-dev.io/wait: 'false'}"))).toBe("");
    expect(await findings(wrong, widget(), widget())).toBe("");
  });
});

it("a rule that reads only known fields isn't reported", async () => {
  expect(await findings({ failed: "status.phase == 'Failed'" })).toBe("");
});
