import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Position } from "../../model/problems/problem.ts";
import { looksSecret } from "../../redaction/looks-secret.ts";

/** A line of a file, and at which of its characters something is wrong, from 0. */
export interface Excerpt {
  readonly line: string;
  readonly at: number;
}

export type FindExcerpt = (position: Position) => Excerpt | undefined;

/** Far more than anybody writes by hand. */
const maxSize = 1024 * 1024;

/**
 * Lines of CUE files of the repository around `directory`. Configs and params hold values, and so may a line of CUE
 * whose field is named like a secret: these are not shown, because people copy terminal output into tickets.
 */
export function excerptsAround(directory: string): FindExcerpt {
  const root = rootAbove(directory);
  return ({ file, line, column }) => {
    if (!file.endsWith(".cue") || file.split("/").includes("..")) return undefined;
    const found = readLine(join(root, file), line);
    if (found === undefined || (found.match(/[\w-]+/g) ?? []).some(looksSecret)) return undefined;
    // CUE counts bytes.
    const at = Buffer.from(found)
      .subarray(0, column - 1)
      .toString().length;
    return { line: found, at };
  };
}

/** Places are relative to the root of the repository; without one, to the current directory. */
function rootAbove(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (isThere(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readLine(path: string, line: number): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > maxSize) return undefined;
  return readFileSync(path, "utf8").split(/\r?\n/)[line - 1];
}
