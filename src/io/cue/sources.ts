import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix, sep } from "node:path";
import type { FileSource } from "../../ports.ts";

/** The answer to a request for a file. The numbers are the engine's error codes. */
export type FileAnswer = Buffer | typeof missing | typeof refused | typeof tooLarge;
export const missing = -1;
export const refused = -2;
export const tooLarge = -3;

/** Files below one root, read when they are asked for. Paths are slash-separated and clean; "." is the root. */
export interface Files {
  /** Sorted names of the files directly in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  read(path: string): FileAnswer;
}

export function filesOf(source: FileSource): Files {
  switch (source.in) {
    case "directory":
      return directoryFiles(source.directory);
    case "memory":
      return memoryFiles(source.files);
  }
}

function directoryFiles(directory: string): Files {
  const root = realpathSync(directory);
  return {
    list(folder) {
      const inside = resolveInside(root, folder);
      if (typeof inside !== "string" || !statSync(inside).isDirectory()) return [];
      const entries = readdirSync(inside, { withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => entry.name)
        .sort();
    },
    read(path) {
      const inside = resolveInside(root, path);
      if (typeof inside !== "string") return inside;
      // A pipe or device would block or never end.
      return lstatSync(inside).isFile() ? readFileSync(inside) : missing;
    },
  };
}

/** The real path of something in the root; links that lead out of it are refused. */
function resolveInside(root: string, path: string): string | typeof missing | typeof refused {
  let real: string;
  try {
    real = realpathSync(join(root, path));
  } catch {
    return missing;
  }
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : refused;
}

function memoryFiles(texts: ReadonlyMap<string, string>): Files {
  const folders = Map.groupBy(texts.keys(), (path) => posix.dirname(path));
  return {
    list: (folder) => (folders.get(folder) ?? []).map((path) => posix.basename(path)).sort(),
    read: (path) => {
      const text = texts.get(path);
      return text === undefined ? missing : Buffer.from(text);
    },
  };
}
