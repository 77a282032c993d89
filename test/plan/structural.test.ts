import { expect, test } from "vitest";
import { parse } from "yaml";
import { asStored, violationsIn } from "../../src/schema/structural.ts";

const never = () => false;

test.each([
  ["minimum: 1", "0", "must be at least 1"],
  ["minimum: 1", "1", ""],
  ["{minimum: 1, exclusiveMinimum: true}", "1", "must be more than 1"],
  ["maximum: 3", "4", "must be at most 3"],
  ["multipleOf: 2", "3", "must be a multiple of 2"],
  ["minLength: 1", '""', "must have at least 1 character"],
  ["maxLength: 2", "ü🙂x", "must have at most 2 characters"],
  ["maxLength: 2", "ü🙂", ""],
  ["pattern: '^[a-z]+$'", "A1", "does not match ^[a-z]+$"],
  ["pattern: '^(a+)+$'", `${"a".repeat(2000)}b`, "does not match ^(a+)+$"],
  ["pattern: '(?<=no re2)'", "x", ""],
  ["enum: [red, green]", "blue", 'is none of "red", "green"'],
  ["enum: [red]", "red", ""],
  ["minItems: 1", "[]", "must have at least 1 item"],
  ["maxProperties: 1", "{a: 1, b: 2}", "must have at most 1 field"],
  ["x-kubernetes-list-type: set", "[a, b, a]", "has an item twice"],
  [
    "{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}",
    "[{name: a, x: 1}, {name: a, x: 2}]",
    "has an item twice",
  ],
  ["{x-kubernetes-list-type: atomic}", "[a, a]", ""],
  ["minimum: 1", "null", ""],
])("by %s, %s %s", (schema, value, expected) => {
  const found = violationsIn(parse(value), parse(schema), never);
  expect(found.map(({ what }) => what).join("; ")).toBe(expected);
});

test("what is wrong is told where it is, and what is known later is not judged", () => {
  const schema = parse(`
properties:
  hosts: {items: {properties: {port: {maximum: 10}, name: {maxLength: 3}}}}
  labels: {additionalProperties: {maxLength: 1}}
`);
  const value = parse("{hosts: [{port: 1}, {port: 11, name: later}], labels: {a: xy}}");
  const found = violationsIn(value, schema, (each) => each === "later");
  expect(found.map(({ path }) => path.join("."))).toEqual(["hosts.1.port", "labels.a"]);
});

test.each([
  ["defaults come", "{properties: {a: {default: 1}}}", "{}", "{a: 1}"],
  ["what is set stays", "{properties: {a: {default: 1}}}", "{a: 2}", "{a: 2}"],
  [
    "a default has defaults of its own",
    "{properties: {a: {default: {}, properties: {b: {default: 2}}}}}",
    "{}",
    "{a: {b: 2}}",
  ],
  [
    "nothing is made for what is not there",
    "{properties: {a: {properties: {b: {default: 2}}}}}",
    "{}",
    "{}",
  ],
  [
    "items of lists have them",
    "{items: {properties: {b: {default: 2}}}}",
    "[{}, {b: 3}]",
    "[{b: 2}, {b: 3}]",
  ],
  ["fields that the schema lacks go", "{properties: {a: {}}}", "{a: 1, b: 2}", "{a: 1}"],
  [
    "unless it keeps them",
    "{x-kubernetes-preserve-unknown-fields: true, properties: {a: {}}}",
    "{a: 1, b: 2}",
    "{a: 1, b: 2}",
  ],
  ["of a free map nothing goes", "{type: object}", "{a: 1}", "{a: 1}"],
])("%s", (_, schema, value, expected) => {
  expect(asStored(parse(value), parse(schema))).toEqual(parse(expected));
});
