import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Position } from "../../model/problems/problem.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";

/** A line of a file, with the index (from 0) of the character that an error is about. */
export interface Excerpt {
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
