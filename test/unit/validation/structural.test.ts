import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { storedValue } from "../../../src/validation/stored-value.ts";
import {
  isUnchanged,
  typeMismatches,
  valueViolations,
} from "../../../src/validation/structural.ts";
import { checkAlternatives } from "../../../src/validation/validate-by-schema.ts";

test.each([
  ["minimum: 1", "0", "must be at least 1"],
  ["minimum: 1", "1", ""],
  ["{minimum: 1, exclusiveMinimum: true}", "1", "must be more than 1"],
  ["maximum: 3", "4", "must be at most 3"],
  ["multipleOf: 2", "3", "must be a multiple of 2"],
  ["multipleOf: 0.1", "0.3", ""],
  ["multipleOf: 0.5", "1.25", "must be a multiple of 0.5"],
  ["multipleOf: 0.5", "1", "must not be an integer, because multipleOf is 0.5"],
  ["multipleOf: 1.5", "2", ""],
  ["multipleOf: 0.5", "1.0e+300", "must be a multiple of 0.5"],
  ["minLength: 1", '""', "must have at least 1 character"],
  ["maxLength: 2", "ü🙂x", "must have at most 2 characters"],
  ["maxLength: 2", "ü🙂", ""],
  ["pattern: '^[a-z]+$'", "A1", "doesn't match ^[a-z]+$"],
  ["pattern: '^(a+)+$'", `${"a".repeat(2000)}b`, "doesn't match ^(a+)+$"],
  ["pattern: '(?<=no re2)'", "x", ""],
  [`pattern: '${"(.{1000})".repeat(500)}'`, "x".repeat(5_000), ""],
  ["enum: [red, green]", "blue", 'isn\'t one of "red", "green"'],
  ["enum: [red]", "red", ""],
  ["{nullable: true, enum: [red]}", "null", 'isn\'t one of "red"'],
  ["{nullable: true, enum: [red, null]}", "null", ""],
  ["{nullable: true, x-kubernetes-int-or-string: true, minimum: 1}", "null", ""],
  ["minItems: 1", "[]", "must have at least 1 item"],
  ["maxProperties: 1", "{a: 1, b: 2}", "must have at most 1 field"],
  ["x-kubernetes-list-type: set", "[a, b, a]", "has a duplicate item"],
  [
    "{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}",
    "[{name: a, x: 1}, {name: a, x: 2}]",
    "has a duplicate item",
  ],
  [
    "{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, type], items: {properties: {type: {default: TCP}}}}",
    "[{port: 1}, {port: 1, type: TCP}]",
    "has a duplicate item",
  ],
  ["{x-kubernetes-list-type: atomic}", "[a, a]", ""],
  ["minimum: 1", "null", ""],
  ["format: int32", "2147483648", "must be a 32-bit integer"],
  ["format: int32", "2147483647", ""],
  ["format: int32", "-2147483648", ""],
  ["format: ipv4", "192.0.2.256", "must have the format ipv4"],
  ["format: ipv4", "192.0.02.1", ""],
  ["format: ipv4", "'::ffff:192.0.2.1'", ""],
  ["format: ipv6", "'2001:db8::1'", ""],
  ["format: ipv6", "'2001:db8::1::2'", "must have the format ipv6"],
  ["format: ipv6", "'1:2:3:4:5:6:7'", "must have the format ipv6"],
  ["format: cidr", "192.0.2.0/33", "must have the format cidr"],
  ["format: cidr", "'2001:db8::/64'", ""],
  ["format: date-time", "'2026-01-01T00:00:00Z'", ""],
  ["format: date-time", "yesterday", "must have the format date-time"],
  ["format: uuid", "abc", "must have the format uuid"],
  ["format: colour", "red", ""],
])("under %s, the value %s %s", (schema, value, expected) => {
  const found = valueViolations(parse(value), parse(schema), (each) => each === "later");
  expect(found.map(({ what }) => what).join("; ")).toBe(expected);
});

test.each([
  [
    "anyOf: [{minimum: 3}, {enum: [1]}]",
    "2",
    "matches none of the alternatives in its definition (anyOf)",
  ],
  ["anyOf: [{minimum: 3}, {enum: [1]}]", "1", ""],
  [
    "anyOf: [{type: integer}, {type: string}]",
    "true",
    "matches none of the alternatives in its definition (anyOf)",
  ],
  ["oneOf: [{required: [a]}, {required: [b]}]", "{a: 1}", ""],
  [
    "oneOf: [{required: [a]}, {required: [b]}]",
    "{c: 1}",
    "matches none of the alternatives in its definition (oneOf)",
  ],
  [
    "oneOf: [{required: [a]}, {required: [b]}]",
    "{a: 1, b: 1}",
    "matches 2 alternatives in its definition, which allows only one (oneOf)",
  ],
  ["oneOf: [{not: {anyOf: [{required: [a]}, {required: [b]}]}}, {required: [a]}]", "{}", ""],
  ["not: {required: [a]}", "{a: 1}", "matches a schema that its definition excludes (not)"],
  ["allOf: [{minimum: 1}, {maximum: 3}]", "4", "must be at most 3"],
  [
    "oneOf: [{properties: {a: {items: {maximum: 1}}}}]",
    "{a: [1, 2]}",
    "matches none of the alternatives in its definition (oneOf)",
  ],
  [
    "anyOf: [{format: hexcolor}]",
    "x",
    "matches none of the alternatives in its definition (anyOf)",
  ],
  ["anyOf: [{format: isbn}]", "x", ""],
  ["anyOf: [{pattern: x}]", "later", ""],
  ["anyOf: [{required: [b]}]", "{a: [later]}", ""],
  [
    "{properties: {a: {anyOf: [{minimum: 3}]}}}",
    "{a: 1}",
    "matches none of the alternatives in its definition (anyOf)",
  ],
])("under the alternatives %s, the value %s %s", (schema, value, expected) => {
  const { violations: missed } = checkAlternatives(
    parse(value),
    parse(schema),
    (each) => each === "later",
  );
  expect(missed.map(({ what }) => what).join("; ")).toBe(expected);
});

test.each<[string, string, boolean]>([
  ["anyOf: [{format: hexcolor}]", "fff", true],
  ["anyOf: [{format: isbn}]", "x", false],
  ["anyOf: [{maxLength: 3}]", "later", false],
  ["properties: {a: {not: {format: isbn}}}", "{b: '0321751043'}", true],
  ["properties: {a: {not: {format: isbn}}}", "{a: '0321751043'}", false],
])("the alternatives %s are fully evaluated for %s: %s", (schema, value, isWhole) => {
  const verdict = checkAlternatives(parse(value), parse(schema), (each) => each === "later");
  expect(verdict.isComplete).toBe(isWhole);
});

test("a fault is reported at its place, and values known later aren't checked", () => {
  const schema = parse(`
properties:
  hosts: {items: {properties: {port: {maximum: 10}, name: {maxLength: 3}}}}
  labels: {additionalProperties: {maxLength: 1}}
`);
  const value = parse("{hosts: [{port: 1}, {port: 11, name: later}], labels: {a: xy}}");
  const found = valueViolations(value, schema, (each) => each === "later");
  expect(found.map(({ path }) => path.join("."))).toEqual(["hosts.1.port", "labels.a"]);
});

test.each([
  ["defaults are added", "{properties: {a: {default: 1}}}", "{}", "{a: 1}"],
  ["a set value stays", "{properties: {a: {default: 1}}}", "{a: 2}", "{a: 2}"],
  [
    "a default has its own defaults",
    "{properties: {a: {default: {}, properties: {b: {default: 2}}}}}",
    "{}",
    "{a: {b: 2}}",
  ],
  [
    "nothing is added to missing objects",
    "{properties: {a: {properties: {b: {default: 2}}}}}",
    "{}",
    "{}",
  ],
  [
    "items of lists get them",
    "{items: {properties: {b: {default: 2}}}}",
    "[{}, {b: 3}]",
    "[{b: 2}, {b: 3}]",
  ],
  [
    "an object without fields gets none",
    "{properties: {a: {type: object}}}",
    "{a: {b: 1}}",
    "{a: {}}",
  ],
  [
    "an embedded object keeps the fields that every object has",
    "{properties: {a: {type: object, x-kubernetes-embedded-resource: true}}}",
    "{a: {kind: A, b: 1}}",
    "{a: {kind: A}}",
  ],
  [
    "null is replaced by a default, unless it can stay",
    "{properties: {a: {default: 1}, b: {default: 1, nullable: true}, c: {}}}",
    "{a: null, b: null, c: null}",
    "{a: 1, b: null, c: null}",
  ],
  ["unknown fields are dropped", "{properties: {a: {}}}", "{a: 1, b: 2}", "{a: 1}"],
  [
    "unless the schema keeps them",
    "{x-kubernetes-preserve-unknown-fields: true, properties: {a: {}}}",
    "{a: 1, b: 2}",
    "{a: 1, b: 2}",
  ],
  [
    "an open object loses nothing",
    "{type: object, additionalProperties: true}",
    "{a: 1}",
    "{a: 1}",
  ],
])("%s", (_, schema, value, expected) => {
  expect(storedValue(parse(value), parse(schema))).toEqual(parse(expected));
});

test.each([
  ["spec.a", "{spec: {a: 1, b: 2}}", "{spec: {a: 1, b: 3}}", "stays"],
  ["spec.a", "{spec: {a: 1}}", "{spec: {a: 2}}", "is new"],
  ["spec.a", "{spec: {a: 1}}", "{spec: {}}", "is new"],
  ["spec.a.b", "{spec: {a: {b: 1}, c: 1}}", "{spec: {a: {b: 1}, c: 2}}", "stays"],
  ["list.0", "{list: [a, b]}", "{list: [a]}", "is new"],
  ["named.1.x", "{named: [{n: c}, {n: a, x: 1}]}", "{named: [{n: a, x: 1}]}", "stays"],
  ["named.0.x", "{named: [{n: a, x: 2}]}", "{named: [{n: a, x: 1}]}", "is new"],
])("the value at %s in %s after %s %s", (path, now, before, expected) => {
  const schema = parse(
    "properties: {named: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [n]}}",
  );
  const stays = isUnchanged(path.split("."), parse(now), parse(before), schema);
  expect(stays ? "stays" : "is new").toBe(expected);
});

/** The number of each part. A preview would have to process their product. */
const many = 4_000;
const items = (value: Json): JsonObject => ({ items: Array.from({ length: many }, () => value) });
const ofItems = (schema: JsonObject): JsonObject => ({ properties: { items: { items: schema } } });
const names = Array.from({ length: many }, (_, i) => `n${i}`);

test("a large object with many defaults gets some of them", { tags: "slow" }, () => {
  const properties = Object.fromEntries(names.map((name) => [name, { default: 1 }]));
  const stored = storedValue(items({}), ofItems({ properties })) as {
    readonly items: readonly object[];
  };
  const added = stored.items.map((item) => Object.keys(item).length);
  expect(added.filter((count) => count > 0)).toEqual(Array.from({ length: 25 }, () => many));
});

test("many items are compared with many values in little time", () => {
  const schema = ofItems({ enum: names });
  expect(valueViolations(items("n3999"), schema, () => false)).toEqual([]);
  const [found] = valueViolations(items("other"), schema, () => false);
  expect(found?.what).toMatch(/^isn't one of "n0", .* "n29" and 3970 more$/);
});

test("many items with many alternatives are only partly evaluated", { tags: "slow" }, () => {
  const oneOf = names.map((name) => ({ enum: [name], format: "date" }));
  expect(
    checkAlternatives(items("other"), ofItems({ oneOf }), () => false).violations,
  ).toHaveLength(20);
  const fitting = [{ minLength: 1 }, ...oneOf];
  expect(checkAlternatives(items("other"), ofItems({ oneOf: fitting }), () => false)).toEqual({
    violations: [],
    isComplete: false,
  });
});

test.each([
  ["{type: integer}", "5", []],
  ["{type: integer}", "1.5", []],
  ["{type: integer}", "'5'", ["spec"]],
  ["{type: string}", "null", []],
  ["{type: boolean}", "'true'", ["spec"]],
  ["{x-kubernetes-int-or-string: true}", "'5'", []],
  [
    "{type: object, additionalProperties: {type: array, items: {type: string}}}",
    "{a: [b, 1]}",
    ["spec.a.1"],
  ],
  ["{type: array, items: {type: string}}", "{a: b}", ["spec"]],
])(
  "the API server can't merge a value of the wrong type, if the schema is %s: %s",
  (schema, value, expected) => {
    const live = { apiVersion: "v1", kind: "Toy", metadata: {}, spec: parse(value) as Json };
    const found = typeMismatches(live, { type: "object", properties: { spec: parse(schema) } });
    expect(found.map(({ path }) => path.join("."))).toEqual(expected);
  },
);
