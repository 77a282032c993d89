import { describe, expect, it } from "vitest";
import { beyond, formsIn, phrasesIn, subjectFaults } from "../../scripts/words.ts";

const names = (file: string, text: string) => phrasesIn(file, text).map(({ name }) => name);

describe("discouraged phrases", () => {
  it.each([
    ["a page", "README.md", "The preview shows what the deployment changes.", 1],
    ["code on a page", "README.md", "Run `nobody tells`.\n\n```sh\nwhoever\n```\n", 0],
    ["a doc comment", "src/a.ts", "/** Whoever calls this. */\nconst a = 1;", 1],
    ["a message", "src/a.ts", 'const a = "Somebody has changed it";', 1],
    ["a name in code", "src/a.ts", 'const nobody = "tells"; // whoever', 0],
    ["code in a doc comment", "src/a.ts", "/** Returns `nobody`. */\nconst a = 1;", 0],
    ["a doc comment of a test", "test/a.ts", "/** Whoever calls this. */\nconst a = 1;", 1],
    ["a string of a test", "test/a.ts", 'const a = "Somebody has changed it";', 0],
    ["a step of a workflow", "workflows/a.yml", "# to learn: by what was merged", 1],
    ["a comment in Go", "engine/a.go", "// name is what nobody knows.\nvar name int", 2],
    ["a message in Go", "engine/a.go", 'var name = "nobody knows it"', 1],
    ["a name in Go", "engine/a.go", "var nobody = tells", 0],
    ["a string of a Go test", "engine/a_test.go", 'var name = "nobody knows it"', 0],
    ["code between globs", "src/a.ts", 'const a = "docs/**/*.md";\nnobody("b/**/*.md");', 0],
  ])("are found in %s", (_, file, text, count) => {
    expect(names(file, text)).toHaveLength(count);
  });

  it("are reported with their line", () => {
    const text = "/**\n * Returns the name.\n *\n * Nobody knows.\n */";
    expect(phrasesIn("src/a.ts", text)).toMatchObject([{ line: 4, phrase: "Nobody" }]);
  });

  it("are shown for files above their limit", () => {
    const found = phrasesIn("README.md", "Nobody tells somebody.");
    expect(found).toHaveLength(3);
    expect(beyond(found, { "README.md": 3 })).toEqual([]);
    expect(beyond(found, { "README.md": 2 })).toEqual(found);
    expect(beyond(found, {})).toEqual(found);
  });
});

describe("the form of comments", () => {
  const faults = (text: string) =>
    formsIn("test/a.ts", text).map(({ line, phrase }) => `${line}: ${phrase}`);

  it.each([
    ["a verb", "/** Returns the name. */", []],
    ["a bad first word", "a;\n  /** What the name is. */", ["2: What"]],
    ["a bad first word on its own line", "/**\n * Whether it has a name.\n */", ["1: Whether"]],
    ["a long line", `a;\n// ${"word ".repeat(21)}`, ["2: 108 columns"]],
    ["a long line of code", `a("${"word ".repeat(21)}");`, []],
  ])("%s", (_, text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it("is checked in Go at the start of each comment", () => {
    const text = "// a is 1.\n// What follows is fine.\nvar a = 1\n\t// Of these, one.\n";
    expect(formsIn("engine/a.go", text)).toMatchObject([{ line: 4, phrase: "Of" }]);
  });
});

it.each([
  ["Retry refusals from a stale admission cache", []],
  ["Pass the budget on", []],
  ["Focus the box", []],
  ["Embed the schemas", []],
  ["Adds a rule", ["no imperative"]],
  ["Added a rule", ["no imperative"]],
  ["Adding a rule", ["no imperative"]],
  ["add a rule.", ["no capital letter", "a period"]],
  ["Describe in all of the pages that nothing more is deleted then", ["62 characters"]],
])("the commit subject %j has the faults %j", (subject, faults) => {
  expect(subjectFaults(subject)).toEqual(faults);
});
