import { afterEach, expect, test, vi } from "vitest";
import { annotate, annotateAll, shownProblems } from "../../../../src/io/github/annotations.ts";
import { logLines, mask, maskWhole } from "../../../../src/io/github/log.ts";
import type { Problem } from "../../../../src/model/problems/problem.ts";

/** Returns the lines on stdout, which the runner reads. */
function printed(action: () => void): readonly string[] {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    lines.push(...String(text).trimEnd().split("\n"));
    return true;
  });
  action();
  vi.restoreAllMocks();
  return lines;
}

afterEach(() => void vi.restoreAllMocks());

test.each([
  ["::error::gotcha", false],
  ["  \t::set-env name=PATH::x", false],
  ["fine\n::add-mask::x", false],
  ["fine\r::add-mask::x", false],
  ["text ##[error]gotcha", false],
  ["a::b keeps its colons", true],
  ["ratio :1", true],
])("%j contains no command for the runner", (text, unchanged) => {
  const safe = printed(() => logLines(text)).join("\n");
  expect(safe.split(/[\r\n]/).some((line) => /^\s*::/.test(line) || line.includes("##["))).toBe(
    false,
  );
  expect(safe === text).toBe(unchanged);
});

test("a secret is masked by line, as Base64 and as JSON, but not its short lines", () => {
  const secret = "---\ntoken: abcdefgh\n}";
  expect(printed(() => mask(secret))).toEqual([
    `::add-mask::${Buffer.from(secret).toString("base64")}`,
    "::add-mask::---\\ntoken: abcdefgh\\n}",
    "::add-mask::token: abcdefgh",
  ]);
});

test("a whole text is masked in its one-line forms, since the runner masks each line separately", () => {
  const text = "apiVersion: v1\nkind: Config";
  expect(printed(() => maskWhole(text))).toEqual([
    `::add-mask::${Buffer.from(text).toString("base64")}`,
    "::add-mask::apiVersion: v1\\nkind: Config",
  ]);
  expect(printed(() => maskWhole("one line\n"))).toContain("::add-mask::one line");
});

const problem: Problem = {
  code: "invalid-cue",
  what: "Parameter replica is not declared",
  fix: "Did you mean replicas?",
  where: [
    { file: "acme/adapters@v1/web.cue", line: 3, column: 1 },
    { file: "qvs.yaml", line: 9, column: 12 },
  ],
};

test("a problem is annotated at its place in the repository, not in a fetched module", () => {
  expect(printed(() => annotate([problem], "error", "QVS"))).toEqual([
    "::error title=QVS,file=qvs.yaml,line=9,col=12::Parameter replica is not declared%0Ahelp: Did you mean replicas?",
  ]);
});

test("the last annotation shows the number of problems that GitHub doesn't show", () => {
  const lines = printed(() => annotate(Array(14).fill(problem), "warning", "QVS"));
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe("::warning title=QVS::The log of this step shows 5 more.");
});

test("several deployments alternate within GitHub's limit of annotations", () => {
  const named = (what: string, number: number) =>
    Array.from({ length: number }, (_, index) => ({ ...problem, where: [], what: what + index }));
  const groups = [
    { title: "a", problems: named("a", 8) },
    { title: "b", problems: [] },
    { title: "c", problems: named("c", 4) },
  ];
  const lines = printed(() => annotateAll(groups, "error"));
  expect(lines.map((line) => line.replaceAll(/%0A.*|::error title=/g, ""))).toEqual([
    ...["a::a0", "c::c0", "a::a1", "c::c1", "a::a2", "c::c2", "a::a3", "c::c3", "a::a4"],
    "QVS::The log of this step shows 3 more.",
  ]);
});

const family = "👩‍👩‍👧‍👦";
const letter = "e\u0301";

test.each([
  ["a family", family, ""],
  ["a letter with a combining mark", letter, "x"],
  ["a flag", "🇩🇪", "xyz"],
])("an annotation is never cut within %s and keeps its fix", (_, sign, before) => {
  const what = before + sign.repeat(3000);
  const [line = ""] = printed(() => annotate([{ ...problem, where: [], what }], "error", "QVS"));
  const message = line.slice(line.indexOf("::", 2) + 2).replaceAll("%0A", "\n");
  expect(message.length).toBeLessThanOrEqual(4096);
  const [shown = "", fix] = message.split("\n");
  expect(fix).toBe("help: Did you mean replicas?");
  expect(shown.replaceAll(sign, "")).toBe(`${before}…`);
});

test("a very long fix is cut as well", () => {
  const long = { ...problem, where: [], what: "a".repeat(9000), fix: family.repeat(3000) };
  const [line = ""] = printed(() => annotate([long], "error", "QVS"));
  const [what = "", fix = ""] = line.slice(line.indexOf("::", 2) + 2).split("%0A");
  expect(what.length + 1 + fix.length).toBeLessThanOrEqual(4096);
  expect(fix.replaceAll(family, "")).toBe("help: …");
});

test("an input isn't annotated as a file", () => {
  const where = [
    { file: "--param replicas", line: 1, column: 1 },
    { file: "qvs.yaml", line: 9, column: 12 },
  ];
  const [line] = printed(() => annotate([{ ...problem, where }], "error", "QVS"));
  expect(line).toContain("title=QVS,file=qvs.yaml,line=9,col=12::");
});

test("the annotated problems of many groups are the first of each, as many as fit", () => {
  const groups = Array.from({ length: 1_000 }, (_, index) => ({
    title: `${index}`,
    problems: [
      { ...problem, what: `first of ${index}` },
      { ...problem, what: "second" },
    ],
  }));
  const expected = Array.from({ length: 9 }, (_, index) => `first of ${index}`);
  expect(shownProblems(groups).map(({ what }) => what)).toEqual(expected);
  expect(shownProblems(groups.slice(0, 1)).map(({ what }) => what)).toEqual([
    "first of 0",
    "second",
  ]);
});
