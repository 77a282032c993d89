import { joined, type TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import { blanks, displayWidth, wrap } from "../../redaction/wrap.ts";
import type { LinePainter, Tone } from "./text-lines.ts";

export interface Cell {
  /** The content, on one line. */
  readonly text: TerminalText;
  readonly tone?: Tone;
}

/** Renders one row of a table. Each cell is wrapped to the width of its column in `widths`. */
export function tableRow(
  cells: readonly Cell[],
  widths: readonly number[],
  paint: LinePainter,
): readonly TerminalText[] {
  const wrapped = cells.map(({ text }, index) => wrap(text, widths[index] ?? displayWidth(text)));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const texts = wrapped.map((lines) => lines[line] ?? terminal``);
    const last = texts.findLastIndex((text) => text !== "");
    const painted = texts.slice(0, last + 1).map((text, index) => {
      const tone = cells[index]?.tone;
      const shown = tone === undefined || text === "" ? text : paint(text, tone);
      const missing = (widths[index] ?? 0) - displayWidth(text);
      return index === last ? shown : terminal`${shown}${blanks(missing)}`;
    });
    return joined(painted, "  ");
  });
}
