import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { checkHealth } from "../../../src/compile/health/check-health.ts";
import { deriveRule } from "../../../src/health/derive-rule.ts";
import { createHealthEvaluator } from "../../../src/health/evaluator.ts";
import { isObject, type Json, type JsonObject } from "../../../src/model/json.ts";

interface Kind {
  readonly status: string;
  readonly spec?: string;
  readonly columns?: readonly Json[];
  readonly liveTypes?: readonly string[];
}

function schemaOf({ status, spec = "{type: object}" }: Kind): JsonObject {
  const schema: Json = parse(`{type: object, properties: {spec: ${spec}, status: ${status}}}`);
  if (!isObject(schema)) throw new Error("not an object");
  return schema;
}

/** Returns the derived rule, one expression per line, and the origin of its values. */
function derive(kind: Kind): string {
  const { columns = [], liveTypes = [] } = kind;
  const rule = deriveRule({ schema: schemaOf(kind), columns, liveTypes });
  const failed = rule.failed === undefined ? [] : [`failed: ${rule.failed}`];
  return [...failed, `current: ${rule.current}`, `basis: ${rule.basis}`].join("\n");
}

const conditions = (more = "") =>
  `{type: object, properties: {conditions: {type: array, ${more} items: {type: object, properties: {type: {type: string}, status: {type: string}}}}}}`;

const words = (field: string, ...values: readonly string[]) =>
  `{type: object, properties: {${field}: {type: string, enum: [${values.join(", ")}]}}}`;

const kinds: Readonly<Record<string, Kind>> = {
  "types of conditions in an enum": {
    status: `{type: object, properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string, enum: [Progressing, Ready, Degraded, Failed]}, status: {type: string}}}}}}`,
  },
  "a condition in a column": {
    status: conditions(),
    columns: [{ jsonPath: '.status.conditions[?(@.type=="Available")].status' }],
  },
  "a condition in a default": { status: conditions("default: [{type: Programmed}],") },
  "a condition of a live object": { status: conditions(), liveTypes: ["BackupReady", "Synced"] },
  "conditions without known types": { status: conditions() },
  "phases in an enum": { status: words("phase", "Pending", "Running", "Ready", "Failed", "Lost") },
  "one ready state in an enum": { status: words("state", "Creating", "Active") },
  "a phase without an enum": {
    status: "{type: object, properties: {phase: {type: string}}}",
  },
  "conditions without known types and a phase": {
    status: `{type: object, properties: {phase: {type: string}, conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}}}`,
  },
  "counts of replicas": {
    spec: "{type: object, properties: {replicas: {type: integer}}}",
    status:
      "{type: object, properties: {observedGeneration: {type: integer}, readyReplicas: {type: integer}}}",
  },
  "a boolean": { status: "{type: object, properties: {ready: {type: boolean}}}" },
  "an observed generation": {
    status: "{type: object, properties: {observedGeneration: {type: integer}}}",
  },
  "no known field": { status: "{type: object, properties: {address: {type: string}}}" },
  "an open status": { status: "{type: object, x-kubernetes-preserve-unknown-fields: true}" },
  "words that need an escape": {
    status: words("phase", `"Ready' || true || '"`, `"Ready: # x"`),
  },
};

test("the first evidence in a schema decides about the rule", () => {
  const texts = Object.entries(kinds).map(([name, kind]) => `${name}\n${derive(kind)}`);
  expect(texts.join("\n\n")).toMatchInlineSnapshot(`
    "types of conditions in an enum
    failed: status.conditions.exists(c, c.type in ['Degraded', 'Failed'] && c.status == 'True')
    current: status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
    basis: schema

    a condition in a column
    current: status.conditions.exists(c, c.type == 'Available' && c.status == 'True')
    basis: schema

    a condition in a default
    current: status.conditions.exists(c, c.type == 'Programmed' && c.status == 'True')
    basis: schema

    a condition of a live object
    current: status.conditions.exists(c, c.type == 'Synced' && c.status == 'True')
    basis: schema

    conditions without known types
    current: status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
    basis: guess

    phases in an enum
    failed: status.phase in ['Failed', 'Lost']
    current: status.phase == 'Ready'
    basis: schema

    one ready state in an enum
    current: status.state == 'Active'
    basis: schema

    a phase without an enum
    current: status.phase == 'Ready'
    basis: guess

    conditions without known types and a phase
    current: status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
    basis: guess

    counts of replicas
    current: status.?readyReplicas.orValue(0) >= spec.replicas
    basis: schema

    a boolean
    current: status.ready
    basis: schema

    an observed generation
    current: status.observedGeneration >= metadata.generation
    basis: schema

    no known field
    current: has(self.status)
    basis: any status

    an open status
    current: has(self.status)
    basis: any status

    words that need an escape
    current: status.phase == 'Ready'
    basis: guess"
  `);
});

describe.each(Object.entries(kinds))("the rule for %s", (_, kind) => {
  const { columns = [], liveTypes = [] } = kind;
  const schema = schemaOf(kind);
  const { failed, current } = deriveRule({ schema, columns, liveTypes });
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const definition = {
    kind: "CustomResourceDefinition",
    spec: {
      ...{ group: "shop.example", names: { kind: "Widget" } },
      versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }],
    },
  };

  it("is valid for the definition", () => {
    const named = { apiVersion: "shop.example/v1", kind: "Widget" };
    const rule = { ...named, failed, current, where, places: {} };
    expect(checkHealth([rule], [definition])).toEqual([]);
  });

  it("never calls an object without a status ready", () => {
    const rule = { groups: ["shop.example"], kinds: ["Widget"], current, source: "qvs.yaml" };
    const { judge } = createHealthEvaluator([rule]);
    const named = { apiVersion: "shop.example/v1", kind: "Widget" };
    const object = { ...named, metadata: { name: "w", generation: 1 }, spec: { replicas: 1 } };
    expect(judge(object).state).toBe("progressing");
  });
});
