import { expect, test } from "vitest";
import { parse } from "yaml";
import { evaluateRules } from "../../../src/validation/cel-rules.ts";
import { createPlanBudget } from "../../../src/validation/undecided.ts";

const judge = (schema: string, value: string, before?: string) =>
  evaluateRules(parse(value), before === undefined ? undefined : parse(before), parse(schema), {
    isOpen: (each) => each === "later",
    budget: createPlanBudget(),
  });

const rules = (schema: string, value: string) =>
  judge(schema, value).broken.map(({ path, what }) => `${path.join(".")} ${what}`);

const rule = (text: string, more = "") =>
  `{type: object, x-kubernetes-validations: [{rule: ${JSON.stringify(text)}, message: no${more}}]}`;

type Verdict = "kept" | "broken" | "undecided";

test.each<[string, string, Verdict]>([
  ["self.min <= self.max", "{min: 5, max: 3}", "broken"],
  ["self.min <= self.max", "{min: 2, max: 3}", "kept"],
  ["has(self.a) == has(self.b)", "{a: 1}", "broken"],
  ["self.items.all(i, i.port > 0)", "{items: [{port: 1}, {port: 0}]}", "broken"],
  ["self.count % 2 == 0", "{count: 3}", "broken"],
  ["self.name.matches('^[a-z]+$')", "{name: A}", "broken"],
  ["self.name.matches('^(a+)+$')", `{name: ${"a".repeat(2000)}b}`, "broken"],
  ["self.x == oldSelf.x", "{x: 1}", "kept"],
  ["quantity(self.x).isLessThan(quantity('1Gi'))", "{x: 2Gi}", "undecided"],
  ["isURL(self.x)", "{x: no}", "undecided"],
  ["this is no CEL", "{x: 1}", "undecided"],
  ["self.x == 'a'", "{x: later}", "undecided"],
  [
    `self.items.all(${"abcd"
      .split("")
      .map((i) => `${i}, self.items.all(`)
      .join("")}x, true)))))`,
    `{items: [${"1, ".repeat(500)}1]}`,
    "undecided",
  ],
  ["self.?x.orValue(1) > 1", "{}", "broken"],
  ["self.?x.orValue(1) > 1", "{x: 2}", "kept"],
  ["ip(self.x).family() == 4", "{x: 10.0.0.1}", "undecided"],
  ["cidr(self.x).containsIP('10.0.0.1')", "{x: 10.0.0.0/8}", "undecided"],
  ["url(self.x).getHost() == 'a'", "{x: 'http://a'}", "undecided"],
  ["!format.dns1123Label().validate(self.x).hasValue()", "{x: a}", "undecided"],
  ["self.x.find('a') == 'a'", "{x: a}", "undecided"],
  ["!has(self.x) || isQuantity(self.x)", "{}", "kept"],
  ["!has(self.x) || isQuantity(self.x)", "{x: 1Gi}", "undecided"],
  ["self.absent.field == 1 || isURL(self.x)", "{x: a}", "undecided"],
  ["isURL(self.x) && self.absent.field == 1", "{x: a}", "undecided"],
  ["self.absent == 1 && self.x == 1", "{x: 2}", "broken"],
  ["[1, 2].exists(i, self.absent == i) || isURL(self.x)", "{x: a}", "undecided"],
  ["self.absent.field == 1 || self.x == 1", "{x: 1}", "kept"],
])("%s for %s is %s", (text, value, verdict) => {
  const { broken, undecided } = judge(rule(text), value);
  expect(broken.map(({ what }) => what)).toEqual(verdict === "broken" ? ["is invalid: no"] : []);
  expect(undecided !== undefined).toBe(verdict === "undecided");
});

test.each([
  "self.absent.field == 1",
  "self.absent == 1 || self.x == 1",
  "self.x == 2 && self.absent == 1",
  "has(self.absent.field)",
])("the rule %s uses an absent field and fails, as in the API server", (text) => {
  expect(rules(rule(text), "{x: 2}")).toEqual([` violates the rule ${text}: no such key: absent`]);
});

test("a key that is a value isn't shown", () => {
  const text = "{'a': true}[self.x]";
  expect(rules(rule(text), "{x: open-sesame}")).toEqual([
    ` violates the rule ${text}: no such key`,
  ]);
});

test.each<[string, string, string | undefined, Verdict]>([
  ["self.x == oldSelf.x", "{x: 1}", "{x: 2}", "broken"],
  ["self.x == oldSelf.x", "{x: 1}", "{x: 1}", "kept"],
  ["self.x == oldSelf.x", "{x: 1}", undefined, "kept"],
  ["self.x == oldSelf.x", "{x: 1}", "{}", "broken"],
  ["self.x > oldSelf.x", "{x: 1}", "{x: 1}", "broken"],
  ["self.x > 1", "{x: 1}", "{x: 1}", "kept"],
  ["self.x > 1", "{x: 1, y: 1}", "{x: 1}", "broken"],
  ["quantity(self.x) > quantity('1')", "{x: 1}", "{x: 1}", "kept"],
])("%s for %s that was %s is %s", (text, value, before, verdict) => {
  const { broken, undecided } = judge(rule(text), value, before);
  expect([broken.length, undecided]).toEqual([verdict === "broken" ? 1 : 0, undefined]);
});

test("a previous value is found in objects, but not in indistinguishable items", () => {
  const item = rule("self.x >= oldSelf.x").slice(1, -1);
  const schema = (list: string) =>
    `{properties: {items: {items: {${item}, properties: {n: {type: string}}}${list}}}}`;
  const keyed = schema(", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [n]");
  const [now, before] = ["{items: [{n: b, x: 1}, {n: a, x: 1}]}", "{items: [{n: a, x: 2}]}"];
  expect(judge(keyed, now, before).broken.map(({ path }) => path.join("."))).toEqual(["items.1"]);
  expect(judge(schema(""), now, before).broken).toEqual([]);
});

test("lists that are equal in any order aren't compared", () => {
  const list = "{x: {x-kubernetes-list-type: set, items: {type: string}}}";
  const schema = `{properties: ${list}, x-kubernetes-validations: [{rule: self.x == oldSelf.x}]}`;
  expect(judge(schema, "{x: [a, b]}", "{x: [b, a]}")).toMatchObject({ broken: [] });
  expect(judge(schema, "{x: [a, b]}", "{x: [b, a]}").undecided).toBeDefined();
});

test("rules in allOf are evaluated, and times aren't strings", () => {
  const schema = (text: string) =>
    `{properties: {a: {format: date-time}}, allOf: [{x-kubernetes-validations: [{rule: ${JSON.stringify(text)}}]}]}`;
  expect(judge(schema("self.b == 'y'"), "{b: x}").broken).toHaveLength(1);
  expect(judge(schema("self.a < '2025'"), '{a: "2024-01-01T00:00:00Z"}').undecided).toBeDefined();
});

/** Expressions that would take hours, or all memory, to evaluate. */
const ten = `[${"0, ".repeat(9)}0]`;
const nested = (list: string, loop: string, end: string, depth: number) =>
  `${Array.from({ length: depth }, (_, i) => `${list}${loop}(x${i}, `).join("")}${end}${")".repeat(depth)}`;
test.each([
  ["literal lists", nested(ten, ".all", "true", 20)],
  ["a space before the bracket", nested("self.items", ".all ", "true", 8)],
  [
    "growing lists",
    `[1]${Array.from({ length: 40 }, (_, i) => `.map(x${i}, [x${i}, x${i}, x${i}, x${i}])`).join("")}.size() == 0`,
  ],
  [
    "concatenated lists",
    `${Array.from({ length: 40 }, (_, i) => `cel.bind(x${i}, ${i === 0 ? "[1]" : `x${i - 1} + x${i - 1}`}, `).join("")}x39.size() == 0${")".repeat(40)}`,
  ],
  [
    "growing strings",
    `${Array.from({ length: 40 }, (_, i) => `cel.bind(x${i}, ${i === 0 ? "'a'" : `x${i - 1} + x${i - 1}`}, `).join("")}x39.contains('b')${")".repeat(40)}`,
  ],
  ["a split string", nested("self.text.split('')", ".all", "true", 3)],
  ["a pattern that only JavaScript has", "self.text.matches ('^(a|a)*$')"],
  ["a pattern with many states", `self.text.matches('${"(.{1000})".repeat(400)}')`],
])("a rule with %s is skipped", (_, text) => {
  const items = Array.from({ length: 500 }, (_, i) => i);
  expect(rules(rule(text), JSON.stringify({ items, text: `${"a".repeat(5_000)}b` }))).toEqual([]);
});

test("rules above the cost limit of an object are skipped", { tags: "slow" }, () => {
  const one = `{rule: "self.items.all(i, self.items.exists(j, i == j))"}`;
  const schema = `{x-kubernetes-validations: [${`${one}, `.repeat(600)}{rule: "self.items == []", message: no}]}`;
  const items = (count: number) =>
    JSON.stringify({ items: Array.from({ length: count }, (_, i) => i) });
  expect(rules(schema, items(3))).toEqual([" is invalid: no"]);
  expect(rules(schema, items(30))).toEqual([]);
});

test("names of schema fields are escaped in rules", () => {
  const schema = `
type: object
x-kubernetes-validations: [{rule: "self.foo__dash__bar == 1 && self.__namespace__ == 'a'"}]
properties: {foo-bar: {type: integer}, namespace: {type: string}}
`;
  expect(rules(schema, "{foo-bar: 1, namespace: a}")).toEqual([]);
  expect(rules(schema, "{foo-bar: 1, namespace: b}")).toHaveLength(1);
});

test("a violated rule is reported at its field or at its fieldPath", () => {
  const below = rule("self.size() > 1", ", fieldPath: .first");
  const schema = `{properties: {hosts: {items: ${rule("self != 'bad'")}}, names: ${below}}}`;
  expect(rules(schema, "{hosts: [good, bad], names: {a: 1}}")).toEqual([
    "hosts.1 is invalid: no",
    "names.first is invalid: no",
  ]);
});

test("a number of the schema isn't an int", () => {
  const schema =
    "{properties: {x: {type: number}}, x-kubernetes-validations: [{rule: 'self.x * 0.5 > 1.0', message: no}]}";
  expect(rules(schema, "{x: 2}")).toEqual([" is invalid: no"]);
  expect(rules(schema, "{x: 3}")).toEqual([]);
});

test("the rules of all objects of a plan share one cost limit, and beyond it the result is unknown", () => {
  const schema = parse(rule("self.items.all(a, self.items.all(b, a != b || a == b))"));
  const value = { items: Array.from({ length: 100 }, (_, index) => index) };
  const budget = { left: 1_000_000 };
  const verdicts = Array.from({ length: 30 }, () =>
    evaluateRules(value, undefined, schema, { isOpen: () => false, budget }),
  );
  expect(verdicts[0]).toEqual({ broken: [], undecided: undefined });
  expect(verdicts.at(-1)?.broken).toEqual([]);
  expect(verdicts.at(-1)?.undecided).toBeDefined();
  expect(budget.left).toBeLessThan(100_000);
});
