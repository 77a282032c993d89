import { describeProblem } from "../../model/problems/errors.ts";
import { curesOf, type Position, type Problem } from "../../model/problems/problem.ts";
import { paint } from "../../redaction/paint.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { exactLine, plainLines, plainText, split, terminal } from "../../redaction/terminal.ts";
import { blanks, breakLine, widthOf as columnsIn, columnsOf } from "../../redaction/wrap.ts";
import { type Output, widthOf } from "../shell.ts";
import type { Excerpt, FindExcerpt } from "./excerpt.ts";

interface ShowOptions {
  /** What it is, where that is not a problem: `Warning: `. */
  readonly label?: string;
  readonly findExcerpt?: FindExcerpt | undefined;
}

/**
 * A problem for a terminal: coloured unless NO_COLOR is set, broken to its width, and with the lines of CUE that it is about.
 * For anything but a terminal it is the plain text of `describeProblem`.
 */
export function showProblem(
  problem: Problem,
  stream: Output,
  { label = "", findExcerpt = () => undefined }: ShowOptions = {},
): TerminalText {
  if (!stream.isTTY) return plainLines(label + describeProblem(problem));
  const width = widthOf(stream);
  const [first, ...others] = problem.where;
  const head = first === undefined ? problem.what : `${placeOf(first)}: ${problem.what}`;
  const broken = (label + head)
    .split("\n")
    .flatMap((line) => breakLine(plainLines(line), width, "  "))
    .map((line, index) =>
      index === 0 && first !== undefined ? paintPlace(line, placeOf(first), stream) : line,
    );
  const lines = withCode(broken, problem, columnsIn(plainLines(label + head)), stream);
  const show = (position: Position) => excerptLines(findExcerpt(position), position, width, stream);
  if (first !== undefined) lines.push(...show(first));
  for (const other of others) {
    const place = paint("bold", plainText(placeOf(other)), stream);
    lines.push(terminal`  and ${place}`, ...show(other));
  }
  const fix = `  → ${curesOf(problem).join("\n    ")}`
    .split("\n")
    .flatMap((line) => breakLine(plainLines(line), width, "    "));
  return joined([...lines, ...fix.map((line) => paint("cyan", line, stream))], "\n");
}

/** The code of docs/reference/errors.md behind a problem that takes one line, where it fits. */
function withCode(
  lines: readonly TerminalText[],
  { code }: Problem,
  columns: number,
  stream: Output,
): TerminalText[] {
  const [only, ...others] = lines;
  const shown = terminal` [${plainText(code)}]`;
  if (only === undefined || others.length > 0) return [...lines];
  if (columns + columnsIn(shown) > widthOf(stream)) return [...lines];
  return [terminal`${only}${paint("dim", shown, stream)}`];
}

function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** The line begins with the place, as far as it is not broken. */
function paintPlace(line: TerminalText, place: string, stream: Output): TerminalText {
  const plain = plainText(place);
  const [before, after] = split(line, plain);
  return after === undefined ? line : terminal`${before}${paint("bold", plain, stream)}${after}`;
}

/** The line with a caret below it; as much of it around the caret as fits. */
function excerptLines(
  excerpt: Excerpt | undefined,
  { line }: Position,
  width: number,
  stream: Output,
): readonly TerminalText[] {
  if (excerpt === undefined) return [];
  const withoutTabs = (text: string) => exactLine(text.replaceAll("\t", "  "));
  const before = columnsIn(withoutTabs(excerpt.line.slice(0, excerpt.at)));
  const text = withoutTabs(excerpt.line.trimEnd());
  const gutter = terminal`    ${line} │ `;
  const columns = width - gutter.length;
  const from = before < columns - 10 ? 0 : before - Math.floor(columns / 2);
  const below = terminal`${blanks(gutter.length - 2)}│ `;
  return [
    terminal`${paint("dim", gutter, stream)}${columnsOf(text, from, columns)}`,
    terminal`${paint("dim", below, stream)}${blanks(before - from)}${paint("red", terminal`^`, stream)}`,
  ];
}
