import type { Label } from "../../model/problems/problem-text.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { breakLine } from "../../redaction/wrap.ts";

/** How a line is set off on a terminal; plain text passes the identity. */
export type Paint = (line: TerminalText, tone: Tone) => TerminalText;
export type Tone =
  | "added"
  | "changed"
  | "removed"
  | "quiet"
  | "strong"
  | "help"
  /** Titles of problems: the label and the code have a color, and the fact is bold. */
  | Label;

/** One line of a report. */
export interface TextLine {
  readonly text: TerminalText;
  readonly tone?: Tone | undefined;
  /** Lines of files are shown as they are, to be copied; sentences may be broken to the width of a terminal. */
  readonly isVerbatim?: boolean;
}

export interface Looks {
  readonly paint?: Paint | undefined;
  /** In columns; undefined where nothing is broken, as in a log that somebody searches. */
  readonly width?: number | undefined;
}

export function line(text: TerminalText, tone?: Tone): TextLine {
  return { text, tone };
}

export function verbatim(text: TerminalText, tone?: Tone): TextLine {
  return { text, tone, isVerbatim: true };
}

/** What continues a sentence stands further in than its first line. */
export function showLines(lines: readonly TextLine[], looks: Looks): TerminalText {
  return joined(
    lines.flatMap((one) => showLine(one, looks)),
    "\n",
  );
}

function showLine(
  { text, tone, isVerbatim = false }: TextLine,
  { paint = (plain) => plain, width }: Looks,
): readonly TerminalText[] {
  const start = /^ */.exec(text)?.[0] ?? "";
  const pieces =
    width === undefined || isVerbatim ? [text] : breakLine(text, width, `${start}    `);
  return tone === undefined ? pieces : pieces.map((piece) => paint(piece, tone));
}
