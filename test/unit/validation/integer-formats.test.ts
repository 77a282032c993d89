import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/model/object.ts";
import { withCheckedFormats } from "../../../src/validation/integer-formats.ts";

const definition = (schema: string): KubeObject =>
  parse(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a},
    spec: {versions: [{name: v1, schema: {openAPIV3Schema: ${schema}}}, {name: v2}]}}`);

const schema = (format: string) => `{type: object, properties: {
  format: {type: integer${format}},
  list: {type: array, items: {type: integer${format}}},
  map: {type: object, additionalProperties: {type: integer${format}}},
  either: {anyOf: [{properties: {a: {type: integer${format}}}}]},
  text: {type: string, format: int32, default: {format: int32}}}}`;

test.each([32, 35])("Kubernetes 1.%s ignores the formats of integers", (minor) => {
  const read = withCheckedFormats(definition(schema(", format: int32")), { major: 1, minor });
  expect(read).toEqual(definition(schema("")));
});

test.each([36, 37])("Kubernetes 1.%s checks the formats of integers", (minor) => {
  const given = definition(schema(", format: int32"));
  expect(withCheckedFormats(given, { major: 1, minor })).toBe(given);
});
