import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import type { EmbeddedFiles, FileSource } from "../../ports/cue.ts";
import { isGitFolder } from "../git/repository-path.ts";

/** The answer to a request for a file. The numbers are the engine's error codes. */
export type FileAnswer = Buffer | Absent | typeof tooLarge;
type Absent = typeof missing | typeof refused;
export const missing = -1;
export const refused = -2;
export const tooLarge = -3;

/** How much one evaluation may read, in bytes (docs/reference/adapters.md#limits). */
export const readLimit = 50_000_000;
/** The size limit of an embedded file, in bytes (docs/reference/adapters.md#limits). */
export const embedLimit = 10_000_000;

/** Files below one root, read when they are asked for. Paths are slash-separated and clean; "." is the root. */
export interface Files {
  /** Sorted names of the files directly in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Sorted names of the folders directly in a folder, without links. */
  folders(folder: string): readonly string[];
  /**
   * Sorted names of all that is directly in a folder, with a slash behind those of folders; none when there is no such
   * folder. A link to a folder inside of the root is a folder.
   */
  entries(folder: string): readonly string[];
  read(path: string): FileAnswer;
}

export function filesOf(source: FileSource): Files {
  switch (source.in) {
    case "directory":
      return directoryFiles(source.directory);
    case "memory":
      return memoryFiles(source.files, source.embedded ?? new Map());
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
    entries(folder) {
      const found = open(folder);
      if (typeof found === "number") return [];
      const named = [...found.entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      return named.map((e) => (leadsToFolder(root, found, e) ? `${e.name}/` : e.name));
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

function leadsToFolder(root: string, folder: Folder, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const target = resolveInside(root, join(folder.path, entry.name));
  return typeof target !== "number" && statSync(target, noThrow)?.isDirectory() === true;
}

const noThrow = { throwIfNoEntry: false } as const;

/** Resolving every path would cost more than reading the files, and only a link can lead out of a folder inside. */
function readEntry(root: string, folder: Folder, name: string): FileAnswer {
  const entry = folder.entries.get(name);
  if (isGitFolder(name)) return refused;
  const limit = name.endsWith(".cue") ? readLimit : embedLimit;
  if (entry?.isFile()) return readWithin(join(folder.path, name), limit);
  // Anything else that is not a link is a folder, or a pipe or device that would block or never end.
  if (!entry?.isSymbolicLink()) return missing;
  const target = resolveInside(root, join(folder.path, name));
  if (typeof target === "number") return target;
  return statSync(target).isFile() ? readWithin(target, limit) : missing;
}

/** A file that may not be read is none for us; one beyond the limit is not read at all. */
function readWithin(path: string, limit: number): FileAnswer {
  try {
    return statSync(path).size > limit ? tooLarge : readFileSync(path);
  } catch {
    return missing;
  }
}

/** The real path of something in the root; links that lead out of it, or into what is git's own, are refused. */
function resolveInside(root: string, path: string): string | Absent {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch {
    return missing;
  }
  const isInside = real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
  return isInside && !relative(root, real).split(sep).some(isGitFolder) ? real : refused;
}

function memoryFiles(texts: ReadonlyMap<string, string>, embedded: EmbeddedFiles): Files {
  const folders = Map.groupBy([...texts.keys(), ...embedded.keys()], (path) => posix.dirname(path));
  const list = (folder: string) =>
    (folders.get(folder) ?? []).map((path) => posix.basename(path)).sort();
  const inner = (folder: string) => foldersIn(folder, [...folders.keys()]);
  return {
    list,
    folders: inner,
    entries(folder) {
      const isFolder = new Set(inner(folder));
      const names = [...isFolder, ...list(folder)].sort();
      return names.map((name) => (isFolder.has(name) ? `${name}/` : name));
    },
    read: (path) => {
      const text = texts.get(path);
      return text === undefined ? embeddedAnswer(embedded.get(path)) : Buffer.from(text);
    },
  };
}

function embeddedAnswer(found: ReturnType<EmbeddedFiles["get"]>): FileAnswer {
  if (found === "outside") return refused;
  if (found === "too large") return tooLarge;
  if (found === undefined) return missing;
  return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
}

/** Folders that hold only folders are in no path of a file by themselves. */
function foldersIn(folder: string, all: readonly string[]): readonly string[] {
  const prefix = folder === "." ? "" : `${folder}/`;
  const below = all.filter((path) => path !== "." && path.startsWith(prefix) && path !== folder);
  const names = below.map((path) => path.slice(prefix.length).split("/")[0] ?? "");
  return [...new Set(names)].sort();
}
