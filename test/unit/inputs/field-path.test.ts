import { expect, test } from "vitest";
import { parseFieldPath } from "../../../src/inputs/field-path.ts";
import { formatFieldPath } from "../../../src/model/fields/field-differences.ts";

test.each([
  ["spec.replicas", ["spec", "replicas"]],
  [".spec.replicas", ["spec", "replicas"]],
  ["containers[0].image", ["containers", 0, "image"]],
  ['containers[name="web"].image', ["containers", { keys: { name: "web" } }, "image"]],
  ["containers[name=web].image", ["containers", { keys: { name: "web" } }, "image"]],
  [
    'ports[containerPort=80,protocol="TCP"]',
    ["ports", { keys: { containerPort: 80, protocol: "TCP" } }],
  ],
  ['labels["a.b/c"]', ["labels", "a.b/c"]],
  ['data["a\\"b"].c', ["data", 'a"b', "c"]],
  ["data.a-b_c/d", ["data", "a-b_c/d"]],
])("parses %s", (text, steps) => {
  expect(parseFieldPath(text)).toEqual(steps);
});

test.each([
  "",
  "a..b",
  "a[",
  "a[]",
  "a[*]",
  "a b",
  'a["b]',
  "a[=b]",
  "a.",
  `a${".b".repeat(2000)}`,
])("rejects %j", (text) => {
  expect(parseFieldPath(text)).toBeUndefined();
});

test("reads what qvs shows", () => {
  const paths = [
    'spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].name',
    'metadata.labels["app.kubernetes.io/name"]',
    'data["a\\"]b"]',
    "finalizers[0]",
  ];
  for (const path of paths) expect(formatFieldPath(parseFieldPath(path) ?? [])).toBe(path);
});
