import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { reportProblems } from "../../../../src/cli/output/report-failure.ts";
import { createExcerptFinder, showProblem } from "../../../../src/cli/output/show-problem.ts";
import type { Position, Problem } from "../../../../src/model/problems/problem.ts";
import { temporaryRepository } from "../../../support/git/temporary-repository.ts";

const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });

const files = {
  ".git/HEAD": "",
  "web/main.cue": `package web

DesignPattern: {
\tresources: app: web: name: parameter.name
\tpassword: parameter.name
\tlabels: {a: "é", b: parameter.name}
\t${"x".repeat(100)}: parameter.name
}
`,
  "qvs.yaml": "params: {name: hunter2}\n",
};

function shown(...where: readonly Position[]): string {
  const { directory } = temporaryRepository(files);
  const problem: Problem = {
    code: "invalid-cue",
    where,
    what: "Nothing is called parameter",
    fix: "Correct it",
  };
  const text = showProblem(problem, terminal, {
    findExcerpt: createExcerptFinder(`${directory}/web`),
  });
  return stripVTControlCharacters(text);
}

function at(line: number, column: number, file = "web/main.cue"): Position {
  return { file, line, column };
}

describe("on a terminal", () => {
  test("the problem shows the CUE line, with a caret below the fault", () => {
    expect(shown(at(4, 29))).toBe(`\
error[invalid-cue]: Nothing is called parameter
  --> web/main.cue:4:29
    4 │   resources: app: web: name: parameter.name
      │                              ^^^^^^^^^^^^^^
  help: Correct it`);
  });

  test("a caret counts characters while CUE counts bytes", () => {
    expect(shown(at(6, 23))).toContain(`
    6 │   labels: {a: "é", b: parameter.name}
      │                       ^^^^^^^^^^^^^^`);
  });

  test("the problem shows the part of a long line around the caret", () => {
    const lines = shown(at(7, 104)).split("\n");
    expect(lines[2]).toMatch(/^ {4}7 │ x+: parameter\.name$/);
    expect(lines[2]?.[lines[3]?.indexOf("^") ?? 0]).toBe("p");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test.each([
    ["for a config, which contains values", at(1, 10, "qvs.yaml")],
    ["for CUE that is named like a secret", at(5, 12)],
    ["beyond the end of the file", at(99, 1)],
    ["for a file outside the repository", at(1, 1, "../main.cue")],
    ["for a missing file", at(1, 1, "module@v1/main.cue")],
  ])("no line is shown %s", (_, place) => {
    expect(shown(place).split("\n")).toHaveLength(3);
  });

  test("long sentences are broken at spaces, and paths are left whole", () => {
    const what = `Parameter "replicas" of "${"long/".repeat(12)}adapter" is 20, but must be less than 10`;
    const where = [at(4, 29, "a.yaml"), at(5, 1, "b.yaml")];
    const text = showProblem(
      { code: "invalid-cue", where, what, fix: "Change it ".repeat(10).trim() },
      terminal,
    );
    expect(stripVTControlCharacters(text)).toBe(`\
error[invalid-cue]: Parameter "replicas" of
    "${"long/".repeat(12)}adapter"
    is 20, but must be less than 10
  --> a.yaml:4:29
  --> b.yaml:5:1
  help: Change it Change it Change it Change it Change it
      Change it Change it Change it Change it Change it`);
  });

  test("untrusted text can't move the cursor", () => {
    const problem: Problem = {
      code: "invalid-cue",
      where: [at(1, 1, "a\u001b[2J.yaml")],
      what: "\u001b[31mx",
      fix: "y",
    };
    const shown = stripVTControlCharacters(showProblem(problem, terminal));
    expect(shown).toContain("error[invalid-cue]: x\n  --> a\\u001b[2J.yaml:1:1");
  });
});

test("a problem is plain text in whole lines without a terminal", () => {
  const problem: Problem = {
    code: "invalid-cue",
    where: [at(4, 29)],
    what: "x ".repeat(100).trim(),
    fix: "y",
  };
  const { directory } = temporaryRepository(files);
  const findExcerpt = createExcerptFinder(directory);
  expect(showProblem(problem, new PassThrough(), { findExcerpt })).toBe(
    `error[invalid-cue]: ${problem.what}\n  --> web/main.cue:4:29\n  help: y`,
  );
});

test.each([
  [true, "\nerror[invalid-cue]: No\n  help: Correct it\n"],
  [undefined, "error[invalid-cue]: No\n  help: Correct it\n"],
])("an empty line separates errors from a plan above them: %s", (followsPlan, expected) => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 60 });
  const problem: Problem = { code: "invalid-cue", where: [], what: "No", fix: "Correct it" };
  reportProblems([problem], stream, { ...(followsPlan === true ? { followsPlan } : {}) });
  expect(stripVTControlCharacters(String(stream.read()))).toBe(expected);
});
