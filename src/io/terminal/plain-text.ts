import { stripVTControlCharacters } from "node:util";

/**
 * Text from a cluster or a repository made safe to print on one line: it can neither move the cursor, nor reorder
 * what is read, nor give commands to the runner of a workflow (`::set-output…`, `##[error]`).
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(unprintable, " ")
    .replace(/##\[/g, "## [")
    .replace(/^(\s*):(?=:)/, "$1: ")
    .trim();
}

/** The same for several lines, e.g. of a log. Their indentation is kept. */
export function plainLines(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  return lines.map((line) => (/^ */.exec(line)?.[0] ?? "") + plainText(line)).join("\n");
}

/** Control characters, line separators, and marks that change the direction of writing or show nothing at all. */
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;
