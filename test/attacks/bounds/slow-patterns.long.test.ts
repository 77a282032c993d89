import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { countInputs } from "../attack.ts";

/**
 * A regular expression that tries again from each character, or in many ways, takes the square of what it reads, or more: a value of one
 * megabyte in a pull request, or an answer of a cluster, would hold up a run for hours. None of ours does. What is anchored by what stands
 * before it (`(?<!\/)\/+$`), says each thing in one way (`\d+(\.\d*)?`) or does not ask for an end (`/:.*\/s`) is quick.
 */
const root = join(import.meta.dirname, "../../..");

/** Whose text is short, and why. */
const ofShortTexts: ReadonlySet<string> = new Set([
  // Longer messages are not searched.
  String.raw`src/compile/problems/resource-problems.ts /"(?:[^"\\]|\\.)*"|\{.*\}/gs`,
]);

test("every regular expression takes linear time", (context) => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join("src", file));
  const all = files.flatMap((file) =>
    expressionsIn(readFileSync(join(root, file), "utf8")).map((each) => ({ file, ...each })),
  );
  countInputs(context, "bounds", all.length);
  const slow = all.filter(({ pattern, flags }) => isSlow(pattern, flags));
  expect(new Set(slow.map(nameOf))).toEqual(ofShortTexts);
});

test.each([
  "/+$",
  String.raw`^(\d+\.?\d*)(\w*)$`,
  String.raw`kind\s*:\s*["']?\s*secret`,
  String.raw`^((\d+\.?\d*|\.\d+)(ns|s|m))+$`,
  String.raw`\[[^\]]*\]`,
])("%s is slow", (pattern) => {
  expect(isSlow(pattern, "g")).toBe(true);
});

interface Expression {
  readonly pattern: string;
  readonly flags: string;
}

function isSlow(source: string, flags: string): boolean {
  return analyse({ source, flags }).reports.length > 0;
}

function nameOf({ file, pattern, flags }: Expression & { readonly file: string }): string {
  return `${file} /${pattern}/${flags}`;
}

function expressionsIn(code: string): readonly Expression[] {
  const found: Expression[] = [];
  JSON.stringify(parseAst(code, { lang: "ts" }), (name, value) => {
    if (name === "regex") found.push(value);
    return typeof value === "bigint" ? "" : value;
  });
  return found;
}
