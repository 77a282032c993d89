import type { Position, Problem } from "../../model/problems/problem.ts";
import { type Label, problemLines } from "../../model/problems/problem-text.ts";
import { paint } from "../../redaction/paint.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { blanks, displayWidth as columnsIn, sliceColumns } from "../../redaction/wrap.ts";
import { showLines, type TextLine, toTextLines, verbatim } from "../../report/text/text-lines.ts";
import { type Output, outputColumns } from "../shell.ts";
import type { Excerpt, FindExcerpt } from "./excerpt.ts";
import { outputLooks } from "./paint.ts";

interface ShowOptions {
  readonly label?: Label;
  readonly findExcerpt?: FindExcerpt | undefined;
}

/**
 * Returns an error for a stream.
 * On a terminal, it has colors unless NO_COLOR is set, fits the width, and shows the affected CUE
 * lines.
 */
export function showProblem(
  problem: Problem,
  stream: Output,
  { label = "error", findExcerpt = () => undefined }: ShowOptions = {},
): TerminalText {
  const lines = problemLines(problem, label).flatMap((each) => {
    const { position } = each;
    const excerpt = position === undefined ? [] : excerptLines(findExcerpt, position, stream);
    return [...toTextLines(each, label), ...excerpt];
  });
  return showLines(lines, outputLooks(stream));
}

/** Prints a warning or a note, after which the command continues. */
export function printProblem(stream: Output, problem: Problem, label: Label): void {
  stream.write(terminal`${showProblem(problem, stream, { label })}\n`);
}

/** Returns the affected line with carets below the error. It cuts a long line around them. */
function excerptLines(
  findExcerpt: FindExcerpt,
  position: Position,
  stream: Output,
): readonly TextLine[] {
  const excerpt = stream.isTTY ? findExcerpt(position) : undefined;
  if (excerpt === undefined) return [];
  const before = columnsIn(withoutTabs(excerpt.line.slice(0, excerpt.at)));
  const text = withoutTabs(excerpt.line.trimEnd());
  const gutter = terminal`    ${position.line} │ `;
  const columns = outputColumns(stream) - gutter.length;
  const from = before < columns - 10 ? 0 : before - Math.floor(columns / 2);
  const below = terminal`${blanks(gutter.length - 2)}│ `;
  const carets = exactLine("^".repeat(Math.min(wordLength(excerpt), columns - (before - from))));
  return [
    verbatim(terminal`${paint("dim", gutter, stream)}${sliceColumns(text, from, columns)}`),
    verbatim(
      terminal`${paint("dim", below, stream)}${blanks(before - from)}${paint("red", carets, stream)}`,
    ),
  ];
}

function withoutTabs(text: string): TerminalText {
  return exactLine(text.replaceAll("\t", "  "));
}

/** Returns the number of columns of the string, number or name at the place, at least 1. */
function wordLength({ line, at }: Excerpt): number {
  const [word = ""] = /^(?:"(?:[^"\\]|\\.)*"|[\w.$#-]+)/.exec(line.slice(at)) ?? [];
  return Math.max(1, columnsIn(exactLine(word)));
}
