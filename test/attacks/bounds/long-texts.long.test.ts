import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { print } from "../../../src/cli/output/print.ts";
import { decodeTextBytes } from "../../../src/compile/decode-text-bytes.ts";
import { resourceProblems } from "../../../src/compile/problems/resource-problems.ts";
import { findParamReferences } from "../../../src/config/param-references.ts";
import { oneLine } from "../../../src/health/conditions.ts";
import { readAddress } from "../../../src/io/git/modules/address.ts";
import { parseQuantity } from "../../../src/model/cluster/quantity.ts";
import { parseIgnoredPaths } from "../../../src/model/fields/field-path.ts";
import { matchesPattern } from "../../../src/model/text/pattern.ts";
import { removeCredentials as withoutCredentials } from "../../../src/redaction/hide-credentials.ts";
import { code, codeBlock, escapeText } from "../../../src/redaction/markdown.ts";
import { redact } from "../../../src/redaction/redact.ts";
import { isSensitiveName } from "../../../src/redaction/sensitive-name.ts";
import { showableRejection } from "../../../src/redaction/showable-rejection.ts";
import { exactLines, plainLines } from "../../../src/redaction/terminal.ts";
import { shorten, wrap } from "../../../src/redaction/wrap.ts";
import { diffValues } from "../../../src/report/diff/text-diff.ts";

/**
 * The length of hostile texts. Untrusted text reaches each of these functions. Quadratic time, or
 * recursion for each character, would delay a run for minutes or crash it.
 */
const length = 300_000;
/**
 * The maximum work of a function, as a multiple of one pass over the text. Quadratic time would be
 * 300,000.
 */
const mostPasses = 10_000;

/**
 * Returns the work of a task in CPU time of this thread. Other programs on the machine don't affect
 * it.
 */
function workOf(task: () => unknown): number {
  const start = process.threadCpuUsage();
  task();
  return process.threadCpuUsage(start).user;
}

/** Returns the average work of one pass over a text. */
function passOver(text: string): number {
  const passes = 100;
  let sum = 0;
  const work = workOf(() => {
    for (let pass = 0; pass < passes; pass++) {
      for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
    }
  });
  expect(sum).toBeGreaterThan(0);
  return work / passes;
}

const explain = (message: string) =>
  resourceProblems(
    [{ message, path: ["resources", "app", "web", "data"], positions: [] }],
    { stage: "app", id: "web", isSecret: false, position: undefined },
    { secrets: [] },
    { adapterAt: () => undefined, argumentAt: () => undefined, repeatedUse: () => undefined },
  );

const refuse = (message: string) =>
  showableRejection({ reason: "invalid", message, causes: [] }, { kind: "ConfigMap" });

test.each<[string, (text: string) => unknown, string]>([
  ["line ends, in a plan", exactLines, "\n"],
  ["spaces, in a plan", exactLines, " "],
  ["spaces, on the terminal", plainLines, " "],
  ["emojis, on the terminal", plainLines, "👩‍👩‍👧‍👦"],
  ["marks, on the terminal", plainLines, "\u0300"],
  ["joiners, on the terminal", plainLines, "\u200d"],
  ["marks, in a shortened text", (t) => shorten(t, 500), "\u0300"],
  ["emojis, in a wrapped text", (t) => wrap(plainLines(t), 80), "👩‍👩‍👧‍👦"],
  ["beginnings of emojis, in a comment's text", escapeText, ":a"],
  ["digits, in a comment's text", escapeText, "0"],
  ["beginnings of a title, on the terminal", (t) => print(new PassThrough(), t), "\u001b]"],
  ["beginnings of a color, on the terminal", (t) => print(new PassThrough(), t), "\u001b[3"],
  ["line ends, on the terminal", (t) => print(new PassThrough(), t), "\n"],
  ["backticks, in a comment's block", (t) => codeBlock("diff", [t]), "` "],
  ["backticks, in a comment's text", code, "` "],
  ["whitespace, in a comment's text", escapeText, " \n"],
  ["capitals, in a name", isSensitiveName, "A"],
  ["braces in a CUE message", explain, "{"],
  ["quotation marks in a CUE message", explain, '\\"'],
  ["beginnings of references", findParamReferences, "$(params."],
  ["spaces in a value that might be a Secret's manifest", (t) => redact(`kind:${t.slice(1)}`), " "],
  ["spaces in a message of the cluster", oneLine, " "],
  ["digits, in a quantity", (t) => parseQuantity(`${t.slice(1, -1)}!`), "1"],
  ["digits, in a pattern of a CustomResourceDefinition", (t) => matchesPattern("a", t), "1"],
  ["brackets, in an annotation", parseIgnoredPaths, "["],
  ["letters, in a module's address", (t) => withoutCredentials(`host.example/${t}`), "a"],
  ["slashes, in a module's address", (t) => readAddress(`host.example/${t}`), "/"],
  ["starts of values in a rejection", refuse, "Invalid value: {"],
  ["starts of types in a rejection", refuse, "Invalid value: a{"],
  ["line ends in a rejection", (t) => refuse(`got a{${t}`), "\n"],
])("many %s", (_, read, unit) => {
  const text = `x${unit.repeat(length / unit.length)}x`;
  expect(workOf(() => read(text)) / passOver(text)).toBeLessThan(mostPasses);
});

test.each([
  ["lists", "- ".repeat(20_000)],
  ["keys", "? ".repeat(20_000)],
  ["brackets", "[".repeat(40_000)],
  ["objects", Array.from({ length: 300 }, (_, level) => `${" ".repeat(level)}a:\n`).join("")],
])("a value of nested %s is compared", (_, nested) => {
  const of = (end: string) => ({ data: { file: `${nested}${end}\n\nz` } });
  expect(diffValues(of("x"), of("y"))).toMatchObject({ added: 1, removed: 1 });
});

test("many keys of a value are compared", () => {
  const keys = Array.from({ length: 9_900 }, (_, key) => `${(key + 12_000).toString(36)}:\n`).join(
    "",
  );
  const work = workOf(() => {
    for (const end of "abcd") {
      diffValues({ data: { file: `${keys}a: 1` } }, { data: { file: `${keys}${end}: 2` } });
    }
  });
  expect(work / passOver(keys)).toBeLessThan(4 * mostPasses);
});

test("sixteen megabytes that begin like Base64 are kept as text", () => {
  const text = `${"abcd".repeat(4_000_000)}!!!!`;
  expect(decodeTextBytes({ text }, () => [])).toEqual({ text });
});

test.each([
  ["\u001b[2K\u001b]0;title\u0007\u001b[1mbold", "\\u001b[2K\\u001b]0;title\\u0007bold"],
  ["\u001b]0;a title without an end", "\\u001b]0;a title without an end"],
  ["\u009b31mred", "red"],
  ["safe\u202etxt.exe", "safe\\u202etxt.exe"],
  ["in\u200bvi\u{e0041}si\u00adble", "in\\u200bvi\\u{e0041}si\\u00adble"],
  ["a\r::error::b", "a\n: :error::b"],
  ["\u0085::error::b", "\\u0085::error::b"],
  ["##[error]a", "## [error]a"],
])("%j is printed as %j", (text, printed) => {
  const stream = new PassThrough();
  print(stream, text);
  expect(String(stream.read())).toBe(`${printed}\n`);
});

test.each([
  "::error::a",
  " \t::error::a",
  "\u0085::error::a",
  "a\r::error::b",
  "a\n\u00a0::error::b",
])("the runner reads no command in %j", (text) => {
  // Splits the text like the runner: lines also end with CR, and .NET's whitespace before the
  // colons is skipped.
  const lines = [plainLines(text), exactLines(text)].join("\n").split(/\r\n|\r|\n/);
  const skipped = lines.map((line) => line.replace(/^[\t-\r \u0085\p{Z}]+/u, ""));
  expect(skipped.filter((line) => line.startsWith("::"))).toEqual([]);
});
