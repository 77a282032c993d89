import { expect, test } from "vitest";
import { parse } from "yaml";
import { brokenRules } from "../../src/schema/cel-rules.ts";

const rules = (schema: string, value: string) =>
  brokenRules(parse(value), parse(schema), (each) => each === "later").map(
    ({ path, what }) => `${path.join(".")} ${what}`,
  );

const rule = (text: string, more = "") =>
  `{type: object, x-kubernetes-validations: [{rule: ${JSON.stringify(text)}, message: no${more}}]}`;

test.each([
  ["self.min <= self.max", "{min: 5, max: 3}", true],
  ["self.min <= self.max", "{min: 2, max: 3}", false],
  ["has(self.a) == has(self.b)", "{a: 1}", true],
  ["self.items.all(i, i.port > 0)", "{items: [{port: 1}, {port: 0}]}", true],
  ["self.count % 2 == 0", "{count: 3}", true],
  ["self.name.matches('^[a-z]+$')", "{name: A}", true],
  ["self.name.matches('^(a+)+$')", `{name: ${"a".repeat(2000)}b}`, true],
  ["self.foo__dash__bar == 1", "{foo-bar: 2}", false],
  ["self.x == oldSelf.x", "{x: 1}", false],
  ["quantity(self.x).isLessThan(quantity('1Gi'))", "{x: 2Gi}", false],
  ["isURL(self.x)", "{x: no}", false],
  ["this is no CEL", "{x: 1}", false],
  ["self.x == 'a'", "{x: later}", false],
  ["self.absent.field == 1", "{}", false],
  [
    `self.items.all(${"abcd"
      .split("")
      .map((i) => `${i}, self.items.all(`)
      .join("")}x, true)))))`,
    `{items: [${"1, ".repeat(500)}1]}`,
    false,
  ],
])("%s for %s is broken: %s", (text, value, broken) => {
  expect(rules(rule(text), value)).toEqual(broken ? [" is refused: no"] : []);
});

test("names that the schema has are escaped in rules", () => {
  const schema = `
type: object
x-kubernetes-validations: [{rule: "self.foo__dash__bar == 1 && self.__namespace__ == 'a'"}]
properties: {foo-bar: {type: integer}, namespace: {type: string}}
`;
  expect(rules(schema, "{foo-bar: 1, namespace: a}")).toEqual([]);
  expect(rules(schema, "{foo-bar: 1, namespace: b}")).toHaveLength(1);
});

test("a rule of a field is told where it is, or where it says", () => {
  const below = rule("self.size() > 1", ", fieldPath: .first");
  const schema = `{properties: {hosts: {items: ${rule("self != 'bad'")}}, names: ${below}}}`;
  expect(rules(schema, "{hosts: [good, bad], names: {a: 1}}")).toEqual([
    "hosts.1 is refused: no",
    "names.first is refused: no",
  ]);
});

test("a number of the schema is no int", () => {
  const schema =
    "{properties: {x: {type: number}}, x-kubernetes-validations: [{rule: 'self.x * 0.5 > 1.0', message: no}]}";
  expect(rules(schema, "{x: 2}")).toEqual([" is refused: no"]);
  expect(rules(schema, "{x: 3}")).toEqual([]);
});
