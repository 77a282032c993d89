import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** The messages of stories, of the gallery and of pages, which other tests compare with real output. */
const folders = ["scenarios", "gallery", "attacks", "../docs"];
const title = /^ *(?:error|warning|note)\[([\w-]+)\]: (.*)$/gm;

const titles = folders.flatMap((folder) => {
  const path = join(import.meta.dirname, folder);
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

/** Replaces what a user wrote: quoted text, references and calls. */
function ownWords(text: string): string {
  return text.replaceAll(/"[^"]*"|\S*\(\S*/g, "x");
}

function wordsOf(text: string): number {
  return ownWords(text)
    .split(" ")
    .filter((word) => /[a-z]/i.test(word)).length;
}

/** An object takes up to four words, and the fact at most twelve. */
const mostWords = 16;

const banned =
  /\b(?:may not|it is not known|neither|nobody|somebody|told|please|sorry|simply|by hand|put right|for ever)\b|\bsince\b (?!\d)/i;

describe("the first line of a message", () => {
  it("is found", () => {
    expect(new Set(titles.map(({ code }) => code)).size).toBeGreaterThan(50);
  });

  it("is short", () => {
    expect(titles.filter(({ text }) => wordsOf(text) > mostWords)).toEqual([]);
  });

  it("has no parentheses, no semicolons and no period at its end", () => {
    expect(titles.filter(({ text }) => /[;)]|\.$/.test(ownWords(text)))).toEqual([]);
  });

  it("has plain words", () => {
    expect(titles.filter(({ text }) => banned.test(ownWords(text)))).toEqual([]);
  });
});
