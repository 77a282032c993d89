import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtInRulesFile, builtInRulesModule } from "../../../scripts/docs/health-rules.ts";
import { builtInRules } from "../../../src/health/built-in-rules.ts";
import { healthVariables } from "../../../src/health/evaluator.ts";
import { parseHealthRule } from "../../../src/health/parse-rule.ts";
import { maxExpressionLength } from "../../../src/validation/cel-evaluator.ts";
import { createCelCheck } from "../../../src/validation/check-cel.ts";

describe("the built-in rules", () => {
  it("are as `npm run docs:generate` writes them", { tags: "slow" }, () => {
    expect(readFileSync(builtInRulesFile, "utf8")).toBe(builtInRulesModule());
  });

  it("are about different kinds", () => {
    const kinds = builtInRules().flatMap(({ groups, kinds: names }) =>
      groups.flatMap((group) => names.map((name) => `${group}/${name}`)),
    );
    expect(kinds.filter((each, index) => kinds.indexOf(each) !== index)).toEqual([]);
  });

  it("have expressions that the evaluator can parse", () => {
    const check = createCelCheck(healthVariables);
    for (const { inProgress, failed, suspended, current, message, source } of builtInRules()) {
      const conditions = [inProgress, failed, suspended, current];
      for (const text of [...conditions, message]) {
        if (text === undefined) continue;
        expect(text.length, source).toBeLessThan(maxExpressionLength);
        expect(
          check(text, text === message ? "string" : "bool"),
          `${source}: ${text}`,
        ).toBeUndefined();
      }
    }
  });
});

describe("a rule file", () => {
  it.each([
    ["text", "it isn't an object"],
    [{ groups: ["a"], current: "true" }, "it lacks groups or kinds"],
    [{ groups: ["a"], kinds: [], current: "true" }, "it lacks groups or kinds"],
    [{ groups: ["a"], kinds: ["A"] }, "it lacks the expression current"],
    [{ groups: ["a"], kinds: ["A"], current: 1 }, "current isn't a string"],
    [{ groups: ["a"], kinds: ["A"], current: "true", ready: "x" }, 'the field "ready" is unknown'],
  ])("with the entry %j is rejected", (entry, expected) => {
    expect(parseHealthRule(entry, "test")).toBe(expected);
  });

  it("can contain `true` as an expression", () => {
    const parsed = parseHealthRule({ groups: ["a"], kinds: ["A"], current: true }, "test");
    expect(parsed).toMatchObject({ current: "true" });
  });
});
