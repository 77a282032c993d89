import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix, sep } from "node:path";
import type { FileSource } from "../../ports/cue.ts";

/** The answer to a request for a file. The numbers are the engine's error codes. */
export type FileAnswer = Buffer | Absent | typeof tooLarge;
type Absent = typeof missing | typeof refused;
export const missing = -1;
export const refused = -2;
export const tooLarge = -3;

/** How much CUE one evaluation may read, in bytes (docs/reference/adapters.md#limits). */
export const readLimit = 50_000_000;

/** Files below one root, read when they are asked for. Paths are slash-separated and clean; "." is the root. */
export interface Files {
  /** Sorted names of the files directly in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Sorted names of the folders directly in a folder, without links. */
  folders(folder: string): readonly string[];
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

/** A folder that was found to be inside of the root, with its entries. */
interface Folder {
  readonly path: string;
  readonly entries: ReadonlyMap<string, Dirent>;
}

function directoryFiles(directory: string): Files {
  const root = realpathSync.native(directory);
  const folders = new Map<string, Folder | Absent>();
  const open = (folder: string) => {
    const known = folders.get(folder) ?? openFolder(root, folder);
    folders.set(folder, known);
    return known;
  };
  return {
    list(folder) {
      const found = open(folder);
      if (typeof found === "number") return [];
      return [...found.entries.values()]
        .filter((e) => !e.isDirectory())
        .map((e) => e.name)
        .sort();
    },
    folders(folder) {
      const found = open(folder);
      if (typeof found === "number") return [];
      const names = [...found.entries.values()].filter((e) => e.isDirectory()).map((e) => e.name);
      return names.sort();
    },
    read(path) {
      const found = open(posix.dirname(path));
      if (typeof found === "number") return found;
      return readEntry(root, found, posix.basename(path));
    },
  };
}

function openFolder(root: string, folder: string): Folder | Absent {
  const path = resolveInside(root, join(root, folder));
  if (typeof path === "number") return path;
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return { path, entries: new Map(entries.map((entry) => [entry.name, entry])) };
  } catch {
    return missing;
  }
}

/** Resolving every path would cost more than reading the files, and only a link can lead out of a folder inside. */
function readEntry(root: string, folder: Folder, name: string): FileAnswer {
  const entry = folder.entries.get(name);
  if (entry?.isFile()) return readWithin(join(folder.path, name));
  // Anything else that is not a link is a folder, or a pipe or device that would block or never end.
  if (!entry?.isSymbolicLink()) return missing;
  const target = resolveInside(root, join(folder.path, name));
  if (typeof target === "number") return target;
  return statSync(target).isFile() ? readWithin(target) : missing;
}

/** A file that may not be read is none for us; one beyond the limit of all CUE is not read at all. */
function readWithin(path: string): FileAnswer {
  try {
    return statSync(path).size > readLimit ? tooLarge : readFileSync(path);
  } catch {
    return missing;
  }
}

/** The real path of something in the root; links that lead out of it are refused. */
function resolveInside(root: string, path: string): string | Absent {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch {
    return missing;
  }
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : refused;
}

function memoryFiles(texts: ReadonlyMap<string, string>): Files {
  const folders = Map.groupBy(texts.keys(), (path) => posix.dirname(path));
  return {
    list: (folder) => (folders.get(folder) ?? []).map((path) => posix.basename(path)).sort(),
    folders: (folder) => foldersIn(folder, [...folders.keys()]),
    read: (path) => {
      const text = texts.get(path);
      return text === undefined ? missing : Buffer.from(text);
    },
  };
}

/** Folders that hold only folders are in no path of a file by themselves. */
function foldersIn(folder: string, all: readonly string[]): readonly string[] {
  const prefix = folder === "." ? "" : `${folder}/`;
  const below = all.filter((path) => path !== "." && path.startsWith(prefix) && path !== folder);
  const names = below.map((path) => path.slice(prefix.length).split("/")[0] ?? "");
  return [...new Set(names)].sort();
}
