import type { Paint, Tone } from "./plan-text.ts";
import { padTo, widthOf, wrap } from "./wrap.ts";

export interface Cell {
  /** Safe to show, on one line. */
  readonly text: string;
  readonly tone?: Tone;
}

const gap = "  ";

/** One row of a table: every cell is wrapped within its column, of which `widths` gives the columns of the terminal. */
export function tableRow(
  cells: readonly Cell[],
  widths: readonly number[],
  paint: Paint,
): readonly string[] {
  const wrapped = cells.map(({ text }, index) => wrap(text, widths[index] ?? widthOf(text)));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const texts = wrapped.map((lines) => lines[line] ?? "");
    const last = texts.findLastIndex((text) => text !== "");
    const painted = texts.slice(0, last + 1).map((text, index) => {
      const tone = cells[index]?.tone;
      const shown = tone === undefined || text === "" ? text : paint(text, tone);
      const missing = (widths[index] ?? 0) - widthOf(text);
      return index === last ? shown : shown + padTo("", missing);
    });
    return painted.join(gap);
  });
}
