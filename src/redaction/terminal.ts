import { styleText } from "node:util";
import { fillTemplate, type TerminalText, type TextStream } from "./shown.ts";
import { visible } from "./visible.ts";

/**
 * Encoders that make text from a cluster or a repository safe to print. It can't move the cursor,
 * change the reading order, or give workflow commands to the runner (`::set-output…`, `##[error]`).
 * Its colors are removed, and all other invisible characters are written as escapes.
 */

/** Returns qvs's own text with encoded values. */
export function terminal(
  parts: TemplateStringsArray,
  ...values: readonly (TerminalText | number)[]
): TerminalText {
  return fillTemplate(parts, values);
}

/** Returns text on one line. Line ends and tabs become spaces. */
export function plainText(text: string): TerminalText {
  return toPlainLine(text).trim() as TerminalText;
}

/** Returns several lines, e.g. of a log, with their indentation. */
export function plainLines(text: string): TerminalText {
  const lines = text.split(lineEnds);
  return lines
    .map((line) => (/^ */.exec(line)?.[0] ?? "") + toPlainLine(line).trim())
    .join("\n") as TerminalText;
}

/**
 * Returns a name or a value on one line without losing anything. Line ends and tabs become escapes.
 */
export function exactLine(text: string): TerminalText {
  return breakWorkflowCommands(
    visible(text.replaceAll("\n", "\\n").replaceAll("\t", "\\t")),
  ) as TerminalText;
}

/** Returns the lines of a file without losing anything. Tabs stay. */
export function exactLines(text: string): TerminalText {
  return visible(text).split("\n").map(breakWorkflowCommands).join("\n") as TerminalText;
}

/**
 * Splits a line at a part of it. The second result is undefined if the line doesn't contain the
 * part.
 */
export function splitLine(
  line: TerminalText,
  part: TerminalText,
): readonly [before: TerminalText, after: TerminalText | undefined] {
  const start = line.indexOf(part);
  if (start < 0) return [line, undefined];
  return [exactLine(line.slice(0, start)), line.slice(start + part.length) as TerminalText];
}

/** Adds the same prefix to each line. */
export function withPrefix(prefix: TerminalText, lines: TerminalText): TerminalText {
  return lines
    .split("\n")
    .map((line) => `${prefix}${line}`)
    .join("\n") as TerminalText;
}

function toPlainLine(text: string): string {
  const line = text.replace(colors, "").replace(new RegExp(`(?:${lineEnds.source}|\t)+`, "g"), " ");
  return breakWorkflowCommands(visible(line).trimStart());
}

/**
 * Breaks workflow commands. The runner accepts `::command::` at the start of a line and
 * `##[command]` anywhere. It skips white space before the first form, of which only spaces are left
 * here.
 */
function breakWorkflowCommands(line: string): string {
  return line.replace(/##\[/g, "## [").replace(/^(\s*):(?=:)/, "$1: ");
}

const lineEnds = /\r\n|[\n\r\u2028\u2029]/;

/**
 * Matches colors, which are common in logs. No match reaches beyond the next color. Otherwise, 100
 * kB of color starts would take minutes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const colors = /(?:\u001b\[|\u009b)[0-9;:]*m/g;

type Color = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

/**
 * Colors text if the stream is a terminal and NO_COLOR isn't set; FORCE_COLOR overrides this. The
 * encoders already removed all other colors.
 */
export function paint(
  color: Color | Color[],
  text: TerminalText,
  stream: TextStream,
): TerminalText {
  return styleText(color, text, { stream: stream as NodeJS.WritableStream }) as TerminalText;
}

export type { Color as Colour };

export type ColorPainter = (colour: Color, text: TerminalText) => TerminalText;

export function noPaint(_colour: Color, text: TerminalText): TerminalText {
  return text;
}

/** Returns colors for a terminal, unless NO_COLOR is set; FORCE_COLOR overrides this. */
export function streamPainter(stream: TextStream): ColorPainter {
  return (color, text) => paint(color, text, stream);
}
