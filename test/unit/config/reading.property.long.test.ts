import { expect, test } from "vitest";
import { bindConfig } from "../../../src/config/bind-config.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { parseDeployments } from "../../../src/config/parse-deployments.ts";
import { parseInlineParams, parseParams } from "../../../src/config/parse-params.ts";
import { isList, isObject, type Json } from "../../../src/model/json.ts";
import type { Problem, Result } from "../../../src/model/problems/problem.ts";
import { describeProblem } from "../../../src/model/problems/problem-text.ts";
import { plainLines } from "../../../src/redaction/terminal.ts";
import { fc } from "../../support/fast-check.ts";
import { factor } from "../../support/runs.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";

const file = ".valuestream/qvs.yaml";

const documents = [
  shopFiles[file],
  shopFiles["params.yaml"],
  '{"params": [{"name": "a", "value": 1}], "secrets": [{"name": "b", "key": "k", "version": "1"}]}\n',
  `deployments:
  - name: shop
    config: ../shop/qvs.yaml
    params: [a.yaml, b.yaml]
    environment: staging
    namespace: shop
    dependsOn: [platform]
  - {name: platform, config: ../platform/qvs.yaml}
`,
];

/** Text with a meaning in YAML or in qvs, so that random documents contain it often. */
const pieces = [
  ...[
    "params",
    "modules",
    "designPatterns",
    "pattern",
    "name",
    "type",
    "value",
    "secrets",
    "local",
  ],
  ...[
    "deployments",
    "config",
    "dependsOn",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n- ",
    "- ",
    "[",
    "]",
    "{",
    "}",
  ],
  ...[
    "$(params.",
    "$(params.a)",
    "$$(params.a)",
    "[*])",
    "&a ",
    "*a",
    "|",
    ">",
    "'",
    '"',
    "#",
    "!!int ",
  ],
  ...[
    "int",
    "secret",
    "..",
    "/",
    "\t",
    "\r",
    "\u0000",
    "\u001b[2J",
    "\u0085",
    "\u2028",
    "\ufeff",
    "\u202e",
  ],
  ...["__proto__", "constructor", "9007199254740993", "1e400", ".nan", "---", "<<", "? ", "%YAML"],
];

const bytes = fc.uint8Array({ maxLength: 400 }).map((all) => Buffer.from(all).toString());
const pieced = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => all.join(""));

/** A valid file in which lines were dropped, repeated, swapped or broken. */
const mutated = fc
  .tuple(
    fc.constantFrom(...documents),
    fc.array(
      fc.tuple(
        fc.constantFrom("drop", "repeat", "swap", "break"),
        fc.nat(),
        fc.nat(),
        fc.constantFrom(...pieces),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([text, changes]) => changes.reduce(mutate, text));

type Mutation = "drop" | "repeat" | "swap" | "break";

function mutate(text: string, [how, a, b, piece]: [string, number, number, string]): string {
  const lines = text.split("\n");
  const [i, j] = [a % lines.length, b % lines.length];
  const [one = "", other = ""] = [lines[i], lines[j]];
  const mutations: Record<Mutation, () => void> = {
    drop: () => lines.splice(i, 1),
    repeat: () => lines.splice(j, 0, one),
    swap: () => Object.assign(lines, { [i]: other, [j]: one }),
    break: () =>
      lines.splice(
        i,
        1,
        one.slice(0, b % (one.length + 1)) + piece + one.slice(b % (one.length + 1)),
      ),
  };
  mutations[how as Mutation]();
  return lines.join("\n");
}

const anyText = fc.oneof(bytes, pieced, mutated, fc.string({ unit: "binary", maxLength: 200 }));

const readers: readonly [string, (text: string) => Result<unknown>][] = [
  ["config", (text) => parseConfig(file, text)],
  ["params file", (text) => parseParams(file, text)],
  ["list of deployments", (text) => parseDeployments(file, text)],
];

test.each(readers)(
  "any text as a %s results in a value, or in problems with their places",
  (_, read) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = read(text);
        if (!result.ok) expectPlaced(result.problems, text);
      }),
      { numRuns: 250 * factor },
    );
  },
);

test("any text with --param, and any params for a config, result in a value or problems", () => {
  const assignment = fc.oneof(
    anyText,
    pieced.map((text) => `version=${text}`),
    pieced.map((text) => `replicas=${text}`),
  );
  fc.assert(
    fc.property(fc.array(assignment, { maxLength: 4 }), anyText, (assignments, text) => {
      const config = parseConfig(file, shopFiles[file]);
      const inline = parseInlineParams(assignments);
      const given = parseParams(file, text);
      if (!config.ok) throw new Error("the shop's config is valid");
      if (!inline.ok) return expectReadable(inline.problems);
      const all = [...(given.ok ? given.value : []), ...inline.value];
      const bound = bindConfig(config.value, all);
      if (!bound.ok) expectReadable(bound.problems);
    }),
    { numRuns: 250 * factor },
  );
});

/** Expects at least one problem, each at a place within the file. */
function expectPlaced(problems: readonly Problem[], text: string): void {
  expectReadable(problems);
  const lines = text.split(/\r\n|\r|\n/);
  for (const { where } of problems) {
    expect(where.length).toBeGreaterThan(0);
    for (const { line, column } of where) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(lines.length);
      expect(column).toBeGreaterThanOrEqual(1);
      // A missing part is reported one column after the end; a line end of two characters can add
      // another column.
      expect(column).toBeLessThanOrEqual(
        Math.max(...text.split("\n").map((each) => each.length)) + 2,
      );
    }
  }
}

function expectReadable(problems: readonly Problem[]): void {
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) {
    expect(problem.what.trim()).not.toBe("");
    expect(problem.fix.trim()).not.toBe("");
    expect(plainLines(describeProblem(problem))).not.toMatch(forbidden);
  }
}

/** Forbidden characters. Line ends are allowed between the lines of one problem. */
const forbidden = /[^\P{Cc}\n]|[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u;

const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)));

const exact = (value: Json): boolean => {
  if (typeof value === "number") return Number.isSafeInteger(value) || !Number.isInteger(value);
  if (isList(value)) return value.every(exact);
  return isObject(value)
    ? Object.entries(value).every(([key, item]) => key !== "<<" && exact(item))
    : true;
};

function boundTo(use: string, type: string, value: Json): Json | undefined {
  const config = parseConfig(
    file,
    `params: [{name: p, type: ${type}}]
modules: [{name: a.example/m, local: {path: ../m}}]
designPatterns: [{pattern: a.example/m/a, params: {x: ${use}}}]`,
  );
  const given = parseParams("params.yaml", JSON.stringify({ p: value }));
  if (!config.ok || !given.ok) throw new Error(JSON.stringify([config, given]));
  const bound = bindConfig(config.value, given.value);
  if (!bound.ok) throw new Error(JSON.stringify(bound.problems));
  return bound.value.designPatterns[0]?.params[0]?.value;
}

function typeOf(value: Json): string | undefined {
  if (isList(value)) return "array";
  if (isObject(value)) return "object";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return typeof value === "number" && Number.isSafeInteger(value) ? "int" : undefined;
}

test("a param that is the whole value keeps its type and value", () => {
  fc.assert(
    fc.property(json.filter(exact), (value) => {
      const type = typeOf(value);
      if (type === undefined) return;
      expect(boundTo("$(params.p)", type, value)).toEqual(value);
      expect(boundTo('{"k": [$(params.p)]}', type, value)).toEqual({ k: [value] });
    }),
    { numRuns: 250 * factor },
  );
});

test("a spliced list is inserted between its neighbors, item by item", () => {
  fc.assert(
    fc.property(fc.array(json.filter(exact), { maxLength: 5 }), (list) => {
      expect(boundTo('["$(params.p[*])"]', "array", list)).toEqual(list);
      expect(boundTo('[1, "$(params.p[*])", 2]', "array", list)).toEqual([1, ...list, 2]);
    }),
    { numRuns: 200 * factor },
  );
});

/** Texts with many fragments that resemble references. */
const dollars = fc
  .array(
    fc.constantFrom(
      "$",
      "$$",
      "(",
      ")",
      "$(params.p)",
      "$$(params.p)",
      "$(params.q)",
      "${x}",
      "[*]",
      "a",
      "\\",
      '"',
      "\n",
    ),
  )
  .map((all) => all.join(""));

test("a bound value is text, even if it resembles a reference", () => {
  fc.assert(
    fc.property(dollars, (text) => {
      expect(boundTo("$(params.p)", "string", text)).toBe(text);
      expect(boundTo('"<$(params.p)>"', "string", text)).toBe(`<${text}>`);
    }),
    { numRuns: 250 * factor },
  );
});

test("any text stays unchanged in a config with doubled reference marks", () => {
  fc.assert(
    fc.property(dollars, (text) => {
      // `$$(params.` is already the doubled form, so the text before a reference must not be a
      // dollar sign.
      const plain = text.replaceAll(/\$+\(params\./g, "$(params.");
      const written = plain.replaceAll("$(params.", "$$$$(params.");
      expect(boundTo(JSON.stringify(written), "string", "value")).toBe(plain);
    }),
    { numRuns: 250 * factor },
  );
});
