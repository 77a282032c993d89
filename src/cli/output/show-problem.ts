import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { type Label, problemLines } from "../../model/problems/problem-text.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, paint, terminal } from "../../redaction/terminal.ts";
import { blanks, displayWidth as columnsIn, sliceColumns } from "../../redaction/wrap.ts";
import { showLines, type TextLine, toTextLines, verbatim } from "../../report/text/text-lines.ts";
import { type Output, outputColumns } from "../program/shell.ts";
import { outputLooks } from "./print.ts";

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

/** A line of a file, with the index (from 0) of the character that an error is about. */
interface Excerpt {
  readonly line: string;
  readonly at: number;
}

export type FindExcerpt = (position: Position) => Excerpt | undefined;

/** The maximum size of a file. No handwritten file is larger. */
const maxSize = 1024 * 1024;

/**
 * Returns a function that reads lines of CUE files in the repository of `directory`.
 * It skips configs, params and CUE lines with a sensitive name, because they can contain secret
 * values. Users copy terminal output into tickets.
 */
export function createExcerptFinder(directory: string): FindExcerpt {
  const root = findRoot(directory);
  return ({ file, line, column }) => {
    if (!file.endsWith(".cue") || file.split("/").includes("..")) return undefined;
    const found = readLine(join(root, file), line);
    if (found === undefined || (found.match(/[\w-]+/g) ?? []).some(isSensitiveName))
      return undefined;
    // CUE counts bytes.
    const at = Buffer.from(found)
      .subarray(0, column - 1)
      .toString().length;
    return { line: found, at };
  };
}

/**
 * Returns the root of the repository, which places are relative to. Without one, it is the
 * directory.
 */
function findRoot(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (pathExists(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}

function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readLine(path: string, line: number): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > maxSize) return undefined;
  return readFileSync(path, "utf8").split(/\r?\n/)[line - 1];
}
