import { styleText } from "node:util";
import { describeProblem } from "../errors.ts";
import { plainLines } from "../io/terminal/plain-text.ts";
import type { Position, Problem } from "../model/problem.ts";
import { breakLine, widthOf } from "./break-line.ts";
import type { Excerpt, FindExcerpt } from "./excerpt.ts";
import type { Output } from "./shell.ts";

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
): string {
  if (!stream.isTTY) return plainLines(label + describeProblem(problem));
  const width = widthOf(stream);
  const [first, ...others] = problem.where;
  const head = first === undefined ? problem.what : `${placeOf(first)}: ${problem.what}`;
  const lines = plainLines(label + head)
    .split("\n")
    .flatMap((line) => breakLine(line, width, "  "))
    .map((line, index) =>
      index === 0 && first !== undefined ? paintPlace(line, placeOf(first), stream) : line,
    );
  const show = (position: Position) => excerptLines(findExcerpt(position), position, width, stream);
  if (first !== undefined) lines.push(...show(first));
  for (const other of others) {
    lines.push(`  and ${paint("bold", plainLines(placeOf(other)), stream)}`, ...show(other));
  }
  const cure = breakLine(plainLines(`  → ${problem.fix}`), width, "    ");
  lines.push(...cure.map((line) => paint("cyan", line, stream)));
  return lines.join("\n");
}

function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

function paintPlace(line: string, place: string, stream: Output): string {
  const plain = plainLines(place);
  const start = line.indexOf(plain);
  if (start < 0) return line;
  return line.slice(0, start) + paint("bold", plain, stream) + line.slice(start + plain.length);
}

function paint(style: "bold" | "cyan" | "dim" | "red", text: string, stream: Output): string {
  return styleText(style, text, { stream });
}

/** The line with a caret below it; as much of it around the caret as fits. */
function excerptLines(
  excerpt: Excerpt | undefined,
  { line }: Position,
  width: number,
  stream: Output,
): readonly string[] {
  if (excerpt === undefined) return [];
  const untabbed = (text: string) => plainLines(text.replaceAll("\t", "  ").replaceAll("\n", " "));
  const before = excerpt.line.slice(0, excerpt.at).replaceAll("\t", "  ").length;
  const text = untabbed(excerpt.line.trimEnd());
  const gutter = `    ${line} │ `;
  const room = width - gutter.length;
  const from = before < room - 10 ? 0 : before - Math.floor(room / 2);
  const shown = text.slice(from, from + room);
  const blank = `${" ".repeat(gutter.length - 2)}│ `;
  return [
    paint("dim", gutter, stream) + shown,
    `${paint("dim", blank, stream)}${" ".repeat(before - from)}${paint("red", "^", stream)}`,
  ];
}
