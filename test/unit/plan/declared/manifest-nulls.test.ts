import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import { declareObjects } from "../../../../src/plan/declared/declare-objects.ts";
import {
  type FindNullRules,
  kindsWithNulls,
  nullNotices,
  nullWarnings,
} from "../../../../src/plan/declared/manifest-nulls.ts";
import { keepEveryNull } from "../../../../src/validation/nulls.ts";
import { manifestsFrom, placement, problemText, text } from "../../../support/plan/declare.ts";

const definition = (spec: string) => `
app/definition:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.shop.example}
  spec:
    group: shop.example
    names: {kind: Widget, plural: widgets}
    versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: ${spec}}}}}]
`;

const widget = (spec: string) => `
app/widget:
  apiVersion: shop.example/v1
  kind: Widget
  metadata: {name: a}
  spec: ${spec}
`;

function settled(yaml: string, nullRulesOf?: FindNullRules) {
  const declared = declareObjects(
    manifestsFrom(yaml),
    nullRulesOf === undefined ? placement : { ...placement, findNullRules: nullRulesOf },
  );
  if (!declared.ok) throw new Error(problemText(declared.problems));
  const found = declared.value.find(({ resource }) => resource !== "definition");
  return { object: found?.object, notices: nullNotices(declared.value) };
}

const noticesFor = (yaml: string, rules?: FindNullRules) =>
  problemText(settled(yaml, rules).notices);

test.each([
  [
    "a scalar that is nullable",
    "{properties: {a: {type: string, nullable: true}}}",
    "{a: null}",
    "{a: null}",
  ],
  [
    "a nullable object, and its fields",
    "{properties: {a: {type: object, nullable: true, properties: {b: {type: string}}}}}",
    "{a: null}",
    "{a: null}",
  ],
  [
    "a field within a nullable object",
    "{properties: {a: {type: object, nullable: true, properties: {b: {type: string}}}}}",
    "{a: {b: null}}",
    "{a: {}}",
  ],
  [
    "a field with a default",
    "{properties: {a: {type: string, default: x}, b: {type: string, nullable: true, default: x}}}",
    "{a: null, b: null}",
    "{b: null}",
  ],
  [
    "a value of a map",
    "{properties: {a: {additionalProperties: {type: string, nullable: true}}, b: {additionalProperties: {type: string}}}}",
    "{a: {x: null}, b: {x: null}}",
    "{a: {x: null}, b: {}}",
  ],
  [
    "an item of a list stays, whatever the schema",
    "{properties: {a: {items: {type: string}}, b: {items: {properties: {c: {nullable: true}, d: {}}}}}}",
    "{a: [null, x], b: [null, {c: null, d: null}]}",
    "{a: [null, x], b: [null, {c: null}]}",
  ],
  [
    "a preserved field at any depth, unless a schema excludes it",
    "{x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string}, any: {x-kubernetes-preserve-unknown-fields: true}}}",
    "{known: null, any: {deep: [{er: null}]}, unknown: {er: {deep: null}}}",
    "{any: {deep: [{er: null}]}, unknown: {er: {deep: null}}}",
  ],
  [
    "a part of any type that preserves fields is not nullable itself",
    "{properties: {any: {x-kubernetes-preserve-unknown-fields: true}}}",
    "{any: null, b: 1}",
    "{b: 1}",
  ],
  [
    "metadata of an embedded object",
    "{properties: {a: {x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}",
    "{a: {kind: B, metadata: {labels: null}, data: null}}",
    "{a: {kind: B, metadata: {}, data: null}}",
  ],
  ["a field that the schema doesn't have", "{properties: {}}", "{a: null}", "{}"],
  [
    "a field with the name of a rule",
    "{reason: x, by: openness, properties: {a: {}}}",
    "{a: null}",
    "{}",
  ],
])("null in a custom resource: %s", (_, schema, spec, expected) => {
  const { object } = settled(definition(schema) + widget(spec));
  expect(object?.spec).toEqual(parse(expected));
  // The rules are the same if the CustomResourceDefinition is in the cluster.
  const rules: FindNullRules = () => ({
    by: "schema",
    schema: { properties: { spec: parse(schema) as JsonObject } },
  });
  expect(settled(widget(spec), rules).object?.spec).toEqual(parse(expected));
});

test("the deployment's CustomResourceDefinition takes precedence over that of the cluster", () => {
  const yaml = definition("{properties: {a: {type: string}}}") + widget("{a: null}");
  expect(settled(yaml, () => keepEveryNull).object?.spec).toEqual({});
});

test("a notice names the object, the fields and the reason, once for each reason", () => {
  const yaml =
    definition(
      "{properties: {a: {type: string}, b: {type: string, default: x}, ok: {nullable: true}}}",
    ) +
    widget("{a: null, b: null, ok: null, c: null}").replace("{name: a}", "{name: a, labels: null}");
  expect(noticesFor(yaml)).toBe(
    text(`
      Widget shop/a: fields with the value null aren't sent
        fields: metadata.labels
        why: The API server stores null in no metadata: it omits the field, or stores an empty label or annotation
        → Remove the field from the adapter
          or give the field a value, such as "" for a key of a map
      Widget shop/a: fields with the value null aren't sent
        fields: spec.a
        why: The CustomResourceDefinition doesn't declare \`nullable: true\` there
        → Remove the field from the adapter
          or give the field a value, such as "" for a key of a map
          or declare \`nullable: true\` in the CustomResourceDefinition
      Widget shop/a: fields with the value null aren't sent
        fields: spec.b
        why: The CustomResourceDefinition has a default and no \`nullable: true\` there
        → Remove the field from the adapter
          or give the field a value, such as "" for a key of a map
          or declare \`nullable: true\` in the CustomResourceDefinition
      Widget shop/a: fields with the value null aren't sent
        fields: spec.c
        why: The CustomResourceDefinition has no such field
        → Remove the field from the adapter
          or give the field a value, such as "" for a key of a map
    `),
  );
});

test("null in a built-in kind is removed with a notice, except for fields that generators write", () => {
  const yaml = `
    app/web:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, creationTimestamp: null}
      spec:
        strategy: null
        template: {metadata: {creationTimestamp: null}, spec: {containers: [{name: a, args: null}]}}
      status: null
  `;
  expect(stringify(settled(yaml).object?.spec)).toBe(
    stringify({ template: { metadata: {}, spec: { containers: [{ name: "a" }] } } }),
  );
  expect(noticesFor(yaml)).toBe(
    text(`
      Deployment shop/web: fields with the value null aren't sent
        fields: spec.strategy, spec.template.spec.containers[0].args
        why: The API server stores null in no built-in kind: it omits the field, or stores an empty value in a map
        → Remove the field from the adapter
          or give the field a value, such as "" for a key of a map
    `),
  );
});

test("the notice shows the field names of a Secret", () => {
  const yaml = `
    app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, data: {a: null, b: eA==}, stringData: {c: null}}
  `;
  expect(settled(yaml).object?.data).toEqual({ b: "eA==" });
  expect(noticesFor(yaml)).toContain("fields: data.a, stringData.c\n");
});

test("without a schema, null is removed and the reason is reported", () => {
  const yaml = widget("{a: null}");
  const { object } = settled(yaml, () => ({ by: "nothing", why: "it is forbidden" }));
  expect(object?.spec).toEqual({});
  expect(noticesFor(yaml, () => ({ by: "nothing", why: "it is forbidden" }))).toBe(
    text(`
      Widget shop/a: fields with the value null aren't sent
        fields: spec.a
        answer: it is forbidden
        why: qvs can't read the schema of the kind
        → Remove the field from the adapter
          or give the field a value, such as "" for a key of a map
          or allow this identity to get the CustomResourceDefinition
    `),
  );
});

test("without a cluster, a declared CustomResourceDefinition decides, or else qvs prints a warning", () => {
  const noticesWith = (yaml: string, ...definitions: readonly JsonObject[]) =>
    problemText(nullWarnings({ resources: manifestsFrom(yaml), hides: ["hunter2x"] }, definitions));
  expect(noticesWith(widget("{a: null, hunter2x: null}"))).toBe(
    text(`
      Resource app/widget: fields with the value null might not be sent
        fields: spec.a, spec.(hidden)
        why: qvs sends null only if the schema of the kind keeps it, which it can't find out without a cluster
        → Compare with the cluster: qvs diff
    `),
  );
  const keeps = "{properties: {a: {nullable: true}}}";
  expect(noticesWith(definition(keeps) + widget("{a: null}"))).toBe("");
  const [one] = manifestsFrom(definition(keeps));
  expect(noticesWith(widget("{a: null}"), one?.object ?? {})).toBe("");
  expect(noticesWith(widget("{a: null}").replace("shop.example/v1", "apps/v1"))).toContain(
    "Resource app/widget: fields with the value null aren't sent\n  fields: spec.a\n",
  );
});

test("a notice names at most ten null fields", () => {
  const fields = Array.from({ length: 12 }, (_, index) => `f${index}: null`).join(", ");
  expect(noticesFor(definition("{}") + widget(`{${fields}}`))).toContain("spec.f9 and 2 more\n");
});

test("qvs looks up only kinds with null whose CustomResourceDefinition isn't declared", () => {
  const other = (kind: string, rest: string) =>
    `app/${kind}: {apiVersion: other.example/v1, kind: ${kind}, metadata: {name: a, labels: null}, ${rest}}\n`;
  const yaml =
    definition("{}") +
    widget("{a: null}") +
    other("Without", "spec: {a: 1}") +
    other("Within", "spec: [{a: {b: null}}]") +
    other("Item", "spec: [null]") +
    "app/plain: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: null}\n";
  expect(kindsWithNulls(manifestsFrom(yaml))).toEqual([
    { apiVersion: "other.example/v1", kind: "Within" },
  ]);
});
