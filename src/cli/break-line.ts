import type { Output } from "./shell.ts";

/** Lines are broken for people only: a program, and whoever searches a log, wants each in one piece. */
const widest = 100;

/** How wide text on a terminal may be, in columns. */
export function widthOf(stream: Output): number {
  return Math.min(stream.columns ?? 80, widest);
}

/** Breaks at spaces; a word that is longer than a line stays whole, so that paths can be copied and clicked. */
export function breakLine(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  const start = /^ */.exec(text)?.[0] ?? "";
  let line = start;
  for (const word of text.slice(start.length).split(" ")) {
    const isFirst = line.trim() === "";
    if (!isFirst && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else line = isFirst ? line + word : `${line} ${word}`;
  }
  return [...lines, line];
}
