import { expect, test } from "vitest";
import type { Json } from "../../../../src/model/json.ts";
import { commonHunks, withoutCommonHunks } from "../../../../src/report/diff/common-hunks.ts";
import { diffTextLines, diffValues } from "../../../../src/report/diff/text-diff.ts";

const cases: readonly {
  readonly name: string;
  readonly before: Json;
  readonly after: Json;
  readonly hides?: readonly string[];
  readonly expected: readonly string[];
}[] = [
  {
    name: "JSON on one line is compared by its fields, in any order",
    before: { "a.json": '{"x":{"a":1,"b":2},"y":[1,2]}' },
    after: { "a.json": '{"y":[1,2],"x":{"b":3,"a":1}}' },
    expected: ["@@ a.json › x @@", ' "a": 1,', '-"b": 2', '+"b": 3'],
  },
  {
    name: "JSON that is only formatted differently is shown as written",
    before: { a: '{"x":1,"y":2}' },
    after: { a: '{"y":2,"x":1}' },
    expected: [`-a: '{"x":1,"y":2}'`, `+a: '{"y":2,"x":1}'`],
  },
  {
    name: "numbers that JavaScript can't represent aren't rounded",
    before: { a: '{"x":12345678901234567890,"z":1}' },
    after: { a: '{"x":12345678901234567891,"z":1}' },
    expected: [`-a: '{"x":12345678901234567890,"z":1}'`, `+a: '{"x":12345678901234567891,"z":1}'`],
  },
  {
    name: "a duplicate field isn't lost",
    before: { a: '{"x":1,"x":2}' },
    after: { a: '{"x":2}' },
    expected: [`-a: '{"x":1,"x":2}'`, `+a: '{"x":2}'`],
  },
  {
    name: "YAML within a text is compared by its fields",
    before: { a: "server:\n  port: 80\n  host: a\nlog: info\n" },
    after: { a: "log: info\nserver:\n  host: a\n  port: 81\n" },
    expected: ["@@ a › server @@", " host: a", "-port: 80", "+port: 81"],
  },
  {
    name: "a comment in YAML is part of the change",
    before: { a: "# one\nport: 80\nhost: a\n" },
    after: { a: "# two\nport: 80\nhost: a\n" },
    expected: ["@@ a @@", "-# one", "+# two", " port: 80", " host: a"],
  },
  {
    name: "an escape in JSON doesn't reveal a hidden text",
    before: { a: '{"p":"hunter\\u0032","q":1}' },
    after: { a: '{"p":"hunter\\u0032","q":2}' },
    hides: ["hunter2"],
    expected: [`-a: '{"p":"hunter\\u0032","q":1}'`, `+a: '{"p":"hunter\\u0032","q":2}'`],
  },
  {
    name: "items that only moved aren't a change",
    before: {
      apiVersion: "v1",
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
        { name: "c", port: 3 },
      ],
    },
    after: {
      apiVersion: "v1",
      ports: [
        { name: "c", port: 3 },
        { name: "a", port: 1 },
        { name: "b", port: 4 },
      ],
    },
    expected: ["@@ ports @@", " - name: b", "-  port: 2", "+  port: 4"],
  },
  {
    name: "a changed order of execution is the only change",
    before: { initContainers: [{ name: "a" }, { name: "b" }] },
    after: { initContainers: [{ name: "b" }, { name: "a" }] },
    expected: ["@@ initContainers @@", "-- name: a", " - name: b", "+- name: a"],
  },
  {
    name: "only the order is shown if only the order changes",
    before: { ports: [{ name: "a" }, { name: "b" }] },
    after: { ports: [{ name: "b" }, { name: "a" }] },
    expected: ["@@ ports @@", "-- name: a", " - name: b", "+- name: a"],
  },
  {
    name: "a line of one bracket next to a change stays",
    before: { a: { "a.json": '[{"x":1},{"x":2}]' } },
    after: { a: { "a.json": '[{"x":1},{"x":3}]' } },
    expected: ["@@ a › a.json @@", '-"x": 2', '+"x": 3'],
  },
  {
    name: "a hunk at the root below another one has a header",
    before: { a: { b: { c: { d: { e: 1 } } } }, b: "x", c: "x", d: "x", e: "x", f: "x", z: 1 },
    after: { a: { b: { c: { d: { e: 2 } } } }, b: "x", c: "x", d: "x", e: "x", f: "x", z: 2 },
    expected: [
      "@@ a › b › c › d @@",
      "-e: 1",
      "+e: 2",
      "@@ top level @@",
      " e: x",
      " f: x",
      "-z: 1",
      "+z: 2",
    ],
  },
  {
    name: "each of several adjacent fields has its old value above its new one",
    before: { a: 1, b: { c: "x" }, d: [1], image: "shop:1", same: true },
    after: { a: 2, b: "y", d: [2], image: "shop:2", same: true },
    expected: [
      "-a: 1",
      "+a: 2",
      "-b:",
      "-  c: x",
      '+b: "y"',
      " d:",
      "-  - 1",
      "+  - 2",
      "-image: shop:1",
      "+image: shop:2",
      " same: true",
    ],
  },
  {
    name: "an added or removed field between others is shown between them",
    before: { a: 1, b: 1, c: 1 },
    after: { a: 2, ab: 2, c: 2 },
    expected: ["-a: 1", "+a: 2", "-b: 1", "+ab: 2", "-c: 1", "+c: 2"],
  },
  {
    name: "a nested value replaces the previous one, whatever is next to its parent",
    before: { from: [{ configMapRef: { name: "web-1" } }], image: "shop:1" },
    after: { from: [{ configMapRef: { name: "web-2" } }], image: "shop:2" },
    expected: [
      " from:",
      "   - configMapRef:",
      "-      name: web-1",
      "+      name: web-2",
      "-image: shop:1",
      "+image: shop:2",
    ],
  },
  {
    name: "replaced items aren't matched with each other",
    before: {
      items: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
    },
    after: {
      items: [
        { name: "c", port: 3 },
        { name: "d", port: 4 },
      ],
    },
    expected: [
      "@@ items @@",
      "-- name: a",
      "-  port: 1",
      "-- name: b",
      "-  port: 2",
      "+- name: c",
      "+  port: 3",
      "+- name: d",
      "+  port: 4",
    ],
  },
  {
    name: "long lines show only the words that differ",
    before: { a: `${"one two three ".repeat(20)}old ${"four five ".repeat(20)}end` },
    after: { a: `${"one two three ".repeat(20)}new ${"four five ".repeat(20)}end` },
    expected: [
      "-a: one two three one two three one two three one…two three one two three old four five four five fou…",
      "+a: one two three one two three one two three one…two three one two three new four five four five fou…",
    ],
  },
];

test.each(cases)("$name", ({ before, after, hides = [], expected }) => {
  const lines = diffTextLines(diffValues(before, after, { hides }));
  expect(lines).toEqual(expected);
});

const crew = (versions: readonly Json[]): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  spec: { versions },
});
const version = (name: string, served: boolean, spec: Json): Json => ({
  name,
  served,
  schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
});
const fields = (properties: Json, required: Json = []): Json => ({
  type: "object",
  properties,
  required,
});
const text: Json = { type: "string" };
const number: Json = { type: "integer" };

test.each([
  {
    name: "added and removed fields, as a whole if all of them change",
    before: crew([version("v1", true, fields({ a: text, b: fields({ c: text }) }))]),
    after: crew([version("v1", true, fields({ a: text, d: fields({ e: text, f: text }) }))]),
    expected: ["v1 adds spec.d", "v1 removes spec.b"],
  },
  {
    name: "types, and required fields",
    before: crew([version("v1", true, fields({ a: text, b: text }))]),
    after: crew([version("v1", true, fields({ a: number, b: text }, ["b"]))]),
    expected: [
      "v1: spec.a was an optional string, is an optional integer",
      "v1: spec.b was an optional string, is a required string",
    ],
  },
  {
    name: "versions",
    before: crew([version("v1", true, fields({})), version("v0", false, fields({}))]),
    after: crew([version("v1", false, fields({})), version("v2", true, fields({}))]),
    expected: ["v1 is no longer served", "removes the version v0", "adds the version v2"],
  },
  {
    name: "fields of items",
    before: crew([version("v1", true, { type: "array", items: fields({ a: text }) })]),
    after: crew([version("v1", true, { type: "array", items: fields({ a: text, b: text }) })]),
    expected: ["v1 adds spec[].b"],
  },
])("the diff of a CustomResourceDefinition is in words: $name", ({ before, after, expected }) => {
  expect(diffValues(before, after)?.words).toEqual(expected);
});

test("equal changes of three objects are shown once, next to the other changes of each", () => {
  const object = (name: string, version: string, size: number): Json => ({
    metadata: { labels: { app: name, version }, name },
    spec: { a: 1, b: 2, c: 3, d: 4, e: 5, size },
  });
  const rows = ["a", "b", "c"].map((name, i) => ({
    name,
    diff: diffValues(object(name, "1", 1), object(name, "2", i === 0 ? 2 : 1)),
  }));
  const common = commonHunks(rows);
  expect(common.map(({ names }) => names)).toEqual([["a", "b", "c"]]);
  expect(common[0]?.lines).toContain('+version: "2"');
  const rest = rows.map(({ diff }) => diffTextLines(withoutCommonHunks(diff, common)));
  expect(rest[0]).toContain("+size: 2");
  expect(rest[0]?.join("\n")).not.toContain("version");
  expect(rest.slice(1)).toEqual([[], []]);
  expect(commonHunks(rows.slice(1))).toEqual([]);
});
