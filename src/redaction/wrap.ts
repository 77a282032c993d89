import stringWidth from "fast-string-width";
import { lazily } from "../model/lazily.ts";
import type { TerminalText } from "./shown.ts";
import { exactLine } from "./terminal.ts";

/** Returns the number of terminal columns of a text. East Asian characters and emojis take two. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

function isWide(char: string): boolean {
  return char > "~" && stringWidth(char) > 1;
}

/** Matches characters of scripts whose lines can break between any two characters. */
const wideScripts =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * Breaks text into lines of at most `width` columns: at spaces, between East Asian characters, and
 * within words that are longer than a line.
 */
export function wrap(text: TerminalText, width: number): readonly TerminalText[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  for (const piece of text.match(pieces) ?? []) {
    const word = piece.trimEnd();
    const wordWidth = displayWidth(word);
    if (taken + wordWidth <= width) {
      line += piece;
      taken += wordWidth + piece.length - word.length;
      continue;
    }
    const [last = "", ...full] = splitWord(piece, width).toReversed();
    lines.push(line, ...full.toReversed());
    line = last;
    taken = displayWidth(last);
  }
  return [...lines, line]
    .filter((each) => each.trim() !== "")
    .map((each) => exactLine(each.trimEnd()));
}

/** Splits a word into parts that fit. The last part includes the spaces after the word. */
function splitWord(piece: string, width: number): readonly string[] {
  const word = piece.trimEnd();
  const parts: string[] = [];
  let part = "";
  let taken = 0;
  for (const char of splitGraphemes(word)) {
    const more = displayWidth(char);
    if (part !== "" && taken + more > width) {
      parts.push(part);
      part = "";
      taken = 0;
    }
    part += char;
    taken += more;
  }
  return [...parts, part + piece.slice(word.length)];
}

/**
 * Matches a word or a part of a path with the spaces after it, or one East Asian character with its
 * marks. A line can end after each match.
 */
const pieces = new RegExp(
  `${wideScripts.source}(?:[\\p{M}\\p{Emoji_Modifier}\\u{e0020}-\\u{e007f}]|\\u200d\\p{Extended_Pictographic})*\\s*|(?:(?!${wideScripts.source})[^\\s/])+/*\\s*|/+\\s*|\\s+`,
  "gu",
);

/** Returns the first columns of a line, with `…` if it is longer. */
export function truncate(text: TerminalText, width: number): TerminalText {
  if (displayWidth(text) <= width) return text;
  return (width <= 1 ? "" : `${splitWord(text, width - 1)[0] ?? ""}…`) as TerminalText;
}

/** Returns the columns from `from` on that fit, without splitting a character. */
export function sliceColumns(text: TerminalText, from: number, width: number): TerminalText {
  let column = 0;
  const shown = splitGraphemes(text).filter((char) => {
    const start = column;
    column += isWide(char) ? 2 : 1;
    return start >= from && column <= from + width;
  });
  return shown.join("") as TerminalText;
}

export function blanks(number: number): TerminalText {
  return " ".repeat(Math.max(0, number)) as TerminalText;
}

/** Pads text to a column of `width`. */
export function padColumns(text: TerminalText, width: number): TerminalText {
  return (text + blanks(width - displayWidth(text))) as TerminalText;
}

/** Joins parts with dots. A part that doesn't fit starts a new line. */
export function dottedLines(
  parts: readonly TerminalText[],
  width: number,
): readonly TerminalText[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = `${last} · ${part}`;
    if (last === undefined) lines.push(part);
    else if (displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(`  ${part}`);
  }
  return lines.flatMap((line) => breakLine(exactLine(line), width, "    "));
}

/**
 * Breaks a line like `breakLine`. If it ends with a command, such as `To roll back: qvs rollback`,
 * and is too long, the command is a line of its own and in one piece for copying.
 */
export function breakSentence(
  text: TerminalText,
  width: number,
  indent: string,
): readonly TerminalText[] {
  const [, lead, command] = /^(.*:) (qvs .*)$/.exec(text) ?? [];
  if (lead === undefined || command === undefined || displayWidth(text) <= width)
    return breakLine(text, width, indent);
  return [...breakLine(exactLine(lead), width, indent), exactLine(indent + command)];
}

/**
 * Breaks a line at spaces. A word that is longer than a line stays whole, so that paths can be
 * copied and clicked.
 */
export function breakLine(
  text: TerminalText,
  width: number,
  indent: string,
): readonly TerminalText[] {
  const lines: string[] = [];
  const start = /^ */.exec(text)?.[0] ?? "";
  let line = start;
  for (const word of text.slice(start.length).split(" ")) {
    const isFirst = line.trim() === "";
    if (!isFirst && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line = isFirst ? line + word : `${line} ${word}`;
  }
  return [...lines, line].map(exactLine);
}

/**
 * Splits text into user-perceived characters: a letter with its marks, a surrogate pair, a family
 * of emojis.
 */
function splitGraphemes(text: string): readonly string[] {
  return plainPattern.test(text)
    ? [...text]
    : Array.from(segmenter().segment(text), (each) => each.segment);
}

/**
 * Shortens a text of more than `most` UTF-16 units to the first `kept` units and `…`, without
 * splitting a character.
 * The result must still be encoded. Shortening encoded text could split an escape.
 */
export function shorten(text: string, most: number, kept = most): string {
  if (text.length <= most) return text;
  return `${text.slice(0, segmenter().segment(text).containing(kept)?.index ?? kept)}…`;
}

/**
 * Matches text in which every character stands alone. A line end of two characters doesn't match.
 */
const plainPattern = /^[\n -~]*$/;

/**
 * Created for the first text that needs it. Its tables take 10 ms to read, and most runs print only
 * plain text.
 */
const segmenter = lazily(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
