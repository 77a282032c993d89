import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../../src/config/parse-config.ts";
import { describeProblem } from "../../../support/describe-problem.ts";

/** Returns the problems of a config with one entry of `designPatterns`. */
function problemsOf(entry: string): readonly string[] {
  const read = parseConfig("qvs.yaml", `designPatterns:\n  - ${entry}\n`);
  return read.ok ? [] : read.problems.map(describeProblem);
}

describe("an entry of designPatterns", () => {
  test.each([
    ["{manifest: k8s}", "manifests", "manifest"],
    ["{patern: acme.example/web}", "pattern", "patern"],
  ])("%s has a typo", (entry, meant, key) => {
    const problems = problemsOf(entry);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`Key "${key}" is unknown`);
    expect(problems[0]).toContain(`Did you mean "${meant}"?`);
  });

  test("without a known key is reported with all keys", () => {
    const problems = problemsOf("{files: k8s}");
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(
      '"designPatterns[0]" has none of the keys "pattern", "manifests"',
    );
  });

  test("has only one of the keys", () => {
    expect(problemsOf("{pattern: acme.example/web, manifests: k8s}")[0]).toContain(
      '"designPatterns[0]" has both "pattern" and "manifests"',
    );
  });

  test("that isn't an object is reported with the first key", () => {
    expect(problemsOf("k8s")[0]).toContain("pattern:");
  });
});
