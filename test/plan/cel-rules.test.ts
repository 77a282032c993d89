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

/** Each would take hours, or all memory, were it evaluated. None is false for what else it says. */
const ten = `[${"0, ".repeat(9)}0]`;
const nested = (list: string, loop: string, end: string, depth: number) =>
  `${Array.from({ length: depth }, (_, i) => `${list}${loop}(x${i}, `).join("")}${end}${")".repeat(depth)}`;
test.each([
  ["literal lists", nested(ten, ".all", "true", 20)],
  ["a space before the bracket", nested("self.items", ".all ", "true", 8)],
  [
    "lists that grow",
    `[1]${Array.from({ length: 40 }, (_, i) => `.map(x${i}, [x${i}, x${i}, x${i}, x${i}])`).join("")}.size() == 0`,
  ],
  [
    "lists that are joined",
    `${Array.from({ length: 40 }, (_, i) => `cel.bind(x${i}, ${i === 0 ? "[1]" : `x${i - 1} + x${i - 1}`}, `).join("")}x39.size() == 0${")".repeat(40)}`,
  ],
  [
    "texts that grow",
    `${Array.from({ length: 40 }, (_, i) => `cel.bind(x${i}, ${i === 0 ? "'a'" : `x${i - 1} + x${i - 1}`}, `).join("")}x39.contains('b')${")".repeat(40)}`,
  ],
  ["a text in pieces", nested("self.text.split('')", ".all", "true", 3)],
  ["a pattern of JavaScript", "self.text.matches ('^(a|a)*$')"],
  ["a pattern with many states", `self.text.matches('${"(.{1000})".repeat(400)}')`],
])("a rule with %s is passed over", (_, text) => {
  const items = Array.from({ length: 500 }, (_, i) => i);
  expect(rules(rule(text), JSON.stringify({ items, text: `${"a".repeat(5_000)}b` }))).toEqual([]);
});

test("rules beyond what one object may cost are passed over", () => {
  const one = `{rule: "self.items.all(i, self.items.exists(j, i == j))"}`;
  const schema = `{x-kubernetes-validations: [${`${one}, `.repeat(600)}{rule: "self.items == []", message: no}]}`;
  const items = (count: number) =>
    JSON.stringify({ items: Array.from({ length: count }, (_, i) => i) });
  expect(rules(schema, items(3))).toEqual([" is refused: no"]);
  expect(rules(schema, items(30))).toEqual([]);
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
