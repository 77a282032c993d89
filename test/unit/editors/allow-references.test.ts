import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { allowReferences } from "../../../src/editors/config-schema.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";

/** Checks valid and invalid values of a config against an adapter's schema. */
function check(schema: JsonObject, right: readonly Json[], wrong: readonly Json[]): void {
  const isValid = new Ajv({ strictTuples: false }).compile({
    type: "object",
    ...allowReferences({ properties: { a: schema } }),
  });
  const verdicts = (values: readonly Json[]) => values.map((a) => [a, isValid({ a })]);
  expect([...verdicts(right), ...verdicts(wrong)]).toEqual([
    ...right.map((a) => [a, true]),
    ...wrong.map((a) => [a, false]),
  ]);
}

const whole = "$(params.x)";

test.each<[string, JsonObject, readonly Json[], readonly Json[]]>([
  ["an integer", { type: "integer" }, [1, whole, "1$(params.x)"], ["1", 1.5, "$(param.x)"]],
  ["a string with a pattern", { type: "string", pattern: "^v" }, ["v1", "x$(params.x)"], ["x", 1]],
  ["any string", { type: "string" }, ["x", whole], [1]],
  ["one of several values", { enum: ["a", 1] }, ["a", 1, whole], ["b"]],
  [
    "a list of integers, in which a reference can represent several",
    { type: "array", items: { type: "integer" }, minItems: 3 },
    [[1, 2, 3], [1, 2, whole], ["$(params.x[*])"], [1, "$(params.x[*])"], whole],
    [[1, 2], [1, 2, "3"], 1],
  ],
  [
    "a list with given items",
    {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "integer" }],
      minItems: 2,
      items: false,
    },
    [["a", 1], ["a", whole], ["$(params.x[*])"]],
    [["a"], [1, 1], ["a", 1, 1]],
  ],
  [
    "a list with given items and more",
    { type: "array", prefixItems: [{ type: "string" }], minItems: 1, items: { type: "integer" } },
    [["a"], ["a", 1], ["a", whole]],
    [["a", "b"], []],
  ],
  [
    "an object with given fields",
    {
      type: "object",
      properties: { b: { type: "integer" } },
      required: ["b"],
      additionalProperties: false,
    },
    [{ b: 1 }, { b: whole }, { b: 1, "$(params.x)-c": {} }, whole],
    [{}, { b: "1" }, { b: 1, c: 1 }],
  ],
  [
    "an object with any fields",
    { type: "object", additionalProperties: { type: "boolean" } },
    [{}, { b: true }, { b: whole }],
    [{ b: "true" }],
  ],
  [
    "one of two forms",
    { anyOf: [{ type: "array", items: { type: "integer" } }, { const: false }] },
    [false, [1], [whole], whole],
    [true, ["a"]],
  ],
])("%s", (_, schema, right, wrong) => check(schema, right, wrong));
