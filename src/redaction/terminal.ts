import { filledIn, type TerminalText } from "./shown.ts";
import { visible } from "./visible.ts";

/**
 * Text from a cluster or a repository made safe to print: it can neither move the cursor, nor reorder what is read, nor give
 * commands to the runner of a workflow (`::set-output…`, `##[error]`). Of its colours nothing is left; all else that is not
 * seen is written out.
 */

/** Words of our own with what the functions below have made of those of others. */
export function terminal(
  parts: TemplateStringsArray,
  ...values: readonly (TerminalText | number)[]
): TerminalText {
  return filledIn(parts, values);
}

/** On one line: line ends and tabs are blanks. */
export function plainText(text: string): TerminalText {
  return asPlain(text).trim() as TerminalText;
}

/** Several lines, e.g. of a log. Their indentation is kept. */
export function plainLines(text: string): TerminalText {
  const lines = text.split(lineEnds);
  return lines
    .map((line) => (/^ */.exec(line)?.[0] ?? "") + asPlain(line).trim())
    .join("\n") as TerminalText;
}

/** One line with everything that is in it, for a name or a value: line ends and tabs are written out, too. */
export function exactLine(text: string): TerminalText {
  return withoutOrders(
    visible(text.replaceAll("\n", "\\n").replaceAll("\t", "\\t")),
  ) as TerminalText;
}

/** The same for lines of a file. Tabs stay. */
export function exactLines(text: string): TerminalText {
  return visible(text).split("\n").map(withoutOrders).join("\n") as TerminalText;
}

/** What stands before and after a part of a line; nothing after where it has no such part. */
export function split(
  line: TerminalText,
  part: TerminalText,
): readonly [before: TerminalText, after: TerminalText | undefined] {
  const start = line.indexOf(part);
  if (start < 0) return [line, undefined];
  return [exactLine(line.slice(0, start)), line.slice(start + part.length) as TerminalText];
}

/** Each with the same text before it. */
export function withPrefix(prefix: TerminalText, lines: TerminalText): TerminalText {
  return lines
    .split("\n")
    .map((line) => `${prefix}${line}`)
    .join("\n") as TerminalText;
}

function asPlain(text: string): string {
  const line = text
    .replace(colours, "")
    .replace(new RegExp(`(?:${lineEnds.source}|\t)+`, "g"), " ");
  return withoutOrders(visible(line).trimStart());
}

/**
 * The runner takes `::command::` at the start of a line and `##[command]` anywhere for orders of ours. It skips white space before
 * the first, of which only blanks are left here.
 */
function withoutOrders(line: string): string {
  return line.replace(/##\[/g, "## [").replace(/^(\s*):(?=:)/, "$1: ");
}

const lineEnds = /\r\n|[\n\r\u2028\u2029]/;

/** They are common in logs. None reaches beyond the next one, or 100 kB of beginnings would take minutes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const colours = /(?:\u001b\[|\u009b)[0-9;:]*m/g;
