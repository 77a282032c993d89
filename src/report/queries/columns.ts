import { joined, type TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { breakLine, displayWidth, padColumns, wrap } from "../../redaction/wrap.ts";
import type { Looks, Tone } from "../text/text-lines.ts";

/** A row of an answer: cells, and further lines below them. Their strings aren't escaped yet. */
export interface AnswerRow {
  readonly cells: readonly AnswerCell[];
  readonly details?: readonly AnswerCell[];
}

export interface AnswerCell {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** The text of this column next to further lines of the row, such as the branches of a tree. */
  readonly below?: string;
}

/**
 * Renders a table in the style of kubectl: a title in capitals above each column, two spaces
 * between columns.
 * On a terminal, it wraps cells so that rows fit. Details are below their row, indented by four
 * spaces. Empty columns are left out.
 */
export function renderColumns(
  titles: readonly string[],
  rows: readonly AnswerRow[],
  looks: Looks,
): TerminalText {
  const used = titles.map((_, i) => rows.some(({ cells }) => (cells[i]?.text ?? "") !== ""));
  const isUsed = (_: unknown, i: number) => rows.length === 0 || used[i] !== false;
  const filled = rows.map((row) => ({ ...row, cells: row.cells.filter(isUsed) }));
  return renderFilled(titles.filter(isUsed), filled, looks);
}

function renderFilled(
  titles: readonly string[],
  rows: readonly AnswerRow[],
  { paint = (text) => text, width }: Looks,
): TerminalText {
  const head = { cells: titles.map((text) => ({ text, tone: "quiet" as const })) };
  const all: readonly AnswerRow[] = titles.length === 0 ? rows : [head, ...rows];
  const widths = fitted(columnWidths(all), width);
  const lines = all.flatMap(({ cells, details = [] }) => [
    ...cellLines(cells, widths, paint),
    ...details.flatMap(({ text, tone = "quiet" }) =>
      detailLines(exactLine(text), width).map((line) => terminal`    ${paint(line, tone)}`),
    ),
  ]);
  return joined(lines, "\n");
}

/** Breaks a detail into lines. Names stay in one piece, so that users can copy them. */
function detailLines(text: TerminalText, width: number | undefined): readonly TerminalText[] {
  return width === undefined ? [text] : breakLine(text, width - 4, "");
}

type Painter = NonNullable<Looks["paint"]>;

function columnWidths(rows: readonly AnswerRow[]): readonly number[] {
  const count = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return Array.from({ length: count }, (_, index) =>
    rows.reduce(
      (widest, { cells }) => Math.max(widest, displayWidth(exactLine(cells[index]?.text ?? ""))),
      0,
    ),
  );
}

const narrowest = 12;
export const narrowestLast = 20;

/**
 * Shrinks the columns until a line fits. The last column is first, because it has the longest text.
 * Then the widest of the other columns follows.
 */
function fitted(widths: readonly number[], width: number | undefined): readonly number[] {
  const fitting = [...widths];
  const taken = () => fitting.reduce((sum, each) => sum + each, 2 * (fitting.length - 1));
  const spare = () => (width === undefined ? 0 : taken() - width);
  const last = fitting.length - 1;
  const most = fitting[last] ?? 0;
  if (spare() > 0) fitting[last] = Math.min(most, Math.max(narrowestLast, most - spare()));
  while (spare() > 0) {
    const widest = Math.max(...fitting);
    if (widest <= narrowest) break;
    fitting[fitting.lastIndexOf(widest)] = widest - 1;
  }
  return fitting;
}

function cellLines(
  cells: readonly AnswerCell[],
  widths: readonly number[],
  paint: Painter,
): readonly TerminalText[] {
  const columns = cells.map(({ text }, index) => broken(exactLine(text), widths[index] ?? 0));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) => {
    const texts = columns.map((lines, i) => lines[row] ?? exactLine(cells[i]?.below ?? ""));
    const last = texts.findLastIndex((text) => text !== "");
    const shown = texts.slice(0, last + 1).map((text, index) => {
      const padded = index === last ? text : padColumns(text, widths[index] ?? 0);
      const tone = cells[index]?.tone;
      return tone === undefined ? padded : paint(padded, tone);
    });
    return joined(shown, "  ");
  });
}

function broken(text: TerminalText, width: number): readonly TerminalText[] {
  return displayWidth(text) <= width ? [text] : wrap(text, width);
}
