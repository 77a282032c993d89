import {
  type Label,
  type ProblemLine,
  type ProblemOrFinding,
  problemLines,
} from "../../model/problems/problem-text.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { exactLines, plainLines, terminal } from "../../redaction/terminal.ts";
import { breakSentence, displayWidth as columnsIn } from "../../redaction/wrap.ts";

/** Returns the lines of an error or finding for a report on a terminal or in a log. */
export function problemTextLines(problem: ProblemOrFinding, label: Label): readonly TextLine[] {
  return problemLines(problem, label).flatMap((each) => toTextLines(each, label));
}

export function toTextLines({ part, text }: ProblemLine, label: Label): readonly TextLine[] {
  switch (part) {
    case "title":
      return text
        .split("\n")
        .map((one, index) => line(plainLines(index === 0 ? one : `  ${one}`), label));
    case "place":
      return [line(plainLines(text))];
    case "fact":
      return [line(plainLines(text))];
    case "help":
      return [line(plainLines(text), "help")];
    case "paste":
      return [verbatim(exactLines(text), "help")];
  }
}

/** Highlights a line on a terminal. Plain text uses the identity function. */
export type LinePainter = (line: TerminalText, tone: Tone) => TerminalText;
export type Tone =
  | "added"
  | "changed"
  | "removed"
  | "quiet"
  | "strong"
  | "help"
  /** Titles of objects. */
  | "addedTitle"
  | "changedTitle"
  | "removedTitle"
  /** Titles of errors: the label and the code have a color, and the fact is bold. */
  | Label;

/** One line of a report. */
export interface TextLine {
  readonly text: TerminalText;
  readonly tone?: Tone | undefined;
  /** A remark at the end of the line. It is on a line of its own if there is no space. */
  readonly aside?: TerminalText | undefined;
  /**
   * True for lines of files, which stay unbroken for copying. Sentences are wrapped to the
   * terminal.
   */
  readonly isVerbatim?: boolean;
}

export interface Looks {
  readonly paint?: LinePainter | undefined;
  /** The width in columns. Undefined disables wrapping, for example in a log that users search. */
  readonly width?: number | undefined;
}

export function line(text: TerminalText, tone?: Tone): TextLine {
  return { text, tone };
}

export function verbatim(text: TerminalText, tone?: Tone): TextLine {
  return { text, tone, isVerbatim: true };
}

/** Renders lines. The continuation of a sentence is indented more than its first line. */
export function showLines(lines: readonly TextLine[], looks: Looks): TerminalText {
  return joined(
    lines.flatMap((one) => showLine(one, looks)),
    "\n",
  );
}

function showLine(each: TextLine, looks: Looks): readonly TerminalText[] {
  const { text, tone, aside, isVerbatim = false } = each;
  const { paint = (plain) => plain, width } = looks;
  const start = /^ */.exec(text)?.[0] ?? "";
  const pieces =
    width === undefined || isVerbatim ? [text] : breakSentence(text, width, `${start}    `);
  const lines = tone === undefined ? pieces : pieces.map((piece) => paint(piece, tone));
  if (aside === undefined) return lines;
  const [only, ...others] = lines;
  const isFitting = width === undefined || columnsIn(text) + 2 + columnsIn(aside) <= width;
  return only !== undefined && others.length === 0 && isFitting
    ? [terminal`${only}  ${paint(aside, "quiet")}`]
    : [...lines, ...showLine({ text: terminal`    ${aside}`, tone: "quiet" }, looks)];
}
