import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { countInputs } from "../attack.ts";

/**
 * Measures all regular expressions of qvs. Backtracking from each character, or in several ways,
 * takes quadratic time or more. Then a value of one megabyte in a pull request, or an answer of a
 * cluster, would delay a run for hours. An expression is fast if it is anchored at its start
 * (`(?<!\/)\/+$`), has only one way to match (`\d+(\.\d*)?`), or needs no end (`/:.*\/s`).
 */
const root = join(import.meta.dirname, "../../..");

/** Regular expressions for short texts, and the reason why they are short. */
const ofShortTexts: ReadonlySet<string> = new Set([
  // Longer messages aren't searched.
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
