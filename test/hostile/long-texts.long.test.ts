import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { say } from "../../src/cli/say.ts";
import { resourceProblems } from "../../src/compile/resource-problems.ts";
import { withTextBytes } from "../../src/compile/text-bytes.ts";
import { findReferences } from "../../src/config/references.ts";
import { neutralise } from "../../src/io/github/log.ts";
import { looksSecret } from "../../src/model/looks-secret.ts";
import { code, escapeText, fenced } from "../../src/report/markdown.ts";

/**
 * What others may write goes through each of these. One that took the square of its length, or a place on the stack for each
 * character, would hold up a run for minutes or end it.
 */
const length = 300_000;
/** Milliseconds, on a busy machine. */
const longest = 5_000;

const explain = (message: string) =>
  resourceProblems(
    [{ message, path: ["resources", "app", "web", "data"], positions: [] }],
    { stage: "app", id: "web", isSecret: false, position: undefined },
    { secrets: [] },
    () => undefined,
  );

test.each<[string, (text: string) => unknown, string]>([
  ["line ends, in the job's log", neutralise, "\n"],
  ["white space, in the job's log", neutralise, " "],
  ["beginnings of a title, on the terminal", (t) => say(new PassThrough(), t), "\u001b]"],
  ["beginnings of a colour, on the terminal", (t) => say(new PassThrough(), t), "\u001b[3"],
  ["line ends, on the terminal", (t) => say(new PassThrough(), t), "\n"],
  ["backticks, in a comment's block", (t) => fenced("diff", [t]), "` "],
  ["backticks, in a comment's text", code, "` "],
  ["white space, in a comment's text", escapeText, " \n"],
  ["capitals, in a name", looksSecret, "A"],
  ["braces, in what CUE says", explain, "{"],
  ["quotation marks, in what CUE says", explain, '\\"'],
  ["beginnings of references", findReferences, "$(params."],
])("many %s", (_, read, unit) => {
  const text = `x${unit.repeat(length / unit.length)}x`;
  const start = performance.now();
  read(text);
  expect(performance.now() - start).toBeLessThan(longest);
});

test("sixteen megabytes that begin like Base64", () => {
  const text = `${"abcd".repeat(4_000_000)}!!!!`;
  expect(withTextBytes({ text }, () => [])).toEqual({ text });
});

test.each([
  ["\u001b[2K\u001b]0;title\u0007gone\u001b[1mbold", "gonebold"],
  ["\u001b]0;a title without an end", "]0;a title without an end"],
  ["\u009b31mred", "red"],
  ["safe\u202etxt.exe", "safe txt.exe"],
  ["in\u200bvi\u{e0041}si\u00adble", "in vi si ble"],
  ["a\r::error::b", "a\n: :error::b"],
  ["\u0085::error::b", ": :error::b"],
  ["##[error]a", "## [error]a"],
])("%j is printed as %j", (text, printed) => {
  const stream = new PassThrough();
  say(stream, text);
  expect(String(stream.read())).toBe(`${printed}\n`);
});

test.each([
  "::error::a",
  " \t::error::a",
  "\u0085::error::a",
  "a\r::error::b",
  "a\n\u00a0::error::b",
])("the runner reads no order in %j", (text) => {
  // As the runner does it: lines end with CR or LF, and .NET's white space before the colons is skipped.
  const lines = neutralise(text).split(/\r\n|\r|\n/);
  const skipped = lines.map((line) => line.replace(/^[\t-\r \u0085\p{Z}]+/u, ""));
  expect(skipped.filter((line) => line.startsWith("::"))).toEqual([]);
});
