import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { severitiesOfFindings, severitiesOfProblem } from "../../scripts/docs/severities.ts";
import { severities } from "../../src/model/problems/finding.ts";
import type { FindingCode } from "../../src/model/problems/finding-codes.ts";
import { type ProblemCode, problemCodes } from "../../src/model/problems/problem-codes.ts";

const root = join(import.meta.dirname, "../..");
const sources = globSync("src/**/*.ts", { cwd: root }).map((path) =>
  readFileSync(join(root, path), "utf8"),
);

/** Finds codes with the severities next to them in the code. */
const written = sources.flatMap((text) =>
  Array.from(
    text.matchAll(/code: "([\w-]+)"(?: as const)?,\s+severity: ([^\n]+)/g),
    ([, code = "", expression = ""]) => ({
      code: code as FindingCode,
      found: severities.filter((each) => expression.includes(`"${each}"`)),
    }),
  ),
);

describe("the severities of findings", () => {
  it("include all severities in the code", () => {
    expect(written.length).toBeGreaterThan(40);
    const missing = written.flatMap(({ code, found }) =>
      found
        .filter((each) => !severitiesOfFindings[code].includes(each))
        .map((each) => [code, each]),
    );
    expect(missing).toEqual([]);
  });

  it("are sorted, the most severe first", () => {
    for (const each of Object.values(severitiesOfFindings)) {
      expect(each).toEqual(severities.filter((severity) => each.includes(severity)));
    }
  });
});

test("no code that is always a notice is thrown as an error", () => {
  const thrown = sources.flatMap((text) =>
    Array.from(
      text.matchAll(/(?:userError\(\s*|new UserError\(\[\s*\{[^}]*?code: )"([\w-]+)"/g),
      ([, code = ""]) => code as ProblemCode,
    ),
  );
  expect(thrown.length).toBeGreaterThan(60);
  expect(
    thrown.filter((code) => code in problemCodes && !severitiesOfProblem(code).includes("error")),
  ).toEqual([]);
});
