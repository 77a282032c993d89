import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * The directories with messages that other tests compare with real output: stories, gallery and
 * pages.
 */
const folders = ["test/stories", "test/gallery", "test/attacks", "docs"];
const title = /^ *(?:error|warning|note)\[([\w-]+)\]: (.*)$/gm;

const titles = folders.flatMap((folder) => {
  const path = join(import.meta.dirname, "../..", folder);
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
    .flatMap((file) =>
      Array.from(
        readFileSync(join(path, file), "utf8").matchAll(title),
        ([, code = "", text = ""]) => ({
          ...{ file: join(folder, file), code, text },
        }),
      ),
    );
});

/** Replaces text that a user wrote: quoted text, references and calls. */
function ownWords(text: string): string {
  return text.replaceAll(/"[^"]*"|\S*\(\S*/g, "x");
}

function wordsOf(text: string): number {
  return ownWords(text.replaceAll(objects, ""))
    .split(" ")
    .filter((word) => /[a-z]/i.test(word)).length;
}

/** The first lines with these codes quote the API server. */
const quotes: ReadonlySet<string> = new Set(["api-warning", "api-deprecated"]);
const ownTitles = titles.filter(({ code }) => !quotes.has(code));

/**
 * Names of objects, such as "Secret shop/a, Secret shop/b and 2 more", which a message can't
 * shorten.
 */
const objects = /[A-Z]\w+ [a-z0-9.-]+\/[\w./-]+|[A-Z]\w+ [\w.-]+(?=: )|and \d+ more/g;

/** The limit is twelve words, and up to two more for values. */
const mostWords = 14;

const banned =
  /\b(?:may not|it is not known|neither|nobody|somebody|told|please|sorry|simply|by hand|put right|for ever)\b|\bsince\b (?!\d|TIME)/i;

describe("the first line of a message", () => {
  it("is found by the test", () => {
    expect(new Set(titles.map(({ code }) => code)).size).toBeGreaterThan(50);
  });

  it("is short", () => {
    expect(ownTitles.filter(({ text }) => wordsOf(text) > mostWords)).toEqual([]);
  });

  it("has no parentheses, no semicolons and no period at its end", () => {
    expect(ownTitles.filter(({ text }) => /[;)]|\.$/.test(ownWords(text)))).toEqual([]);
  });

  it("has plain words", () => {
    expect(ownTitles.filter(({ text }) => banned.test(ownWords(text)))).toEqual([]);
  });
});
