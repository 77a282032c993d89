import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import type { EmbeddedFiles, FileSource } from "../../ports/cue.ts";
import { isGitDirectory } from "../git/safe-path.ts";

/**
 * The maximum number of directories that qvs visits. No module has as many, and a repository can't
 * cause an endless walk.
 */
const maxDirectories = 20_000;

/**
 * Returns the directories of a module that can contain its packages, first the root as `.`. It
 * doesn't follow symbolic links.
 */
export function listDirectories(files: RootFiles): readonly string[] {
  const folders = ["."];
  for (const folder of folders) {
    if (folders.length > maxDirectories) break;
    const inner = files
      .folders(folder)
      .filter((name) => !/^[._]|^(cue\.mod|node_modules)$/.test(name));
    folders.push(...inner.map((name) => posix.join(folder, name)));
  }
  return folders;
}

/** The answer to a request for a file. The numbers are the engine's error codes. */
export type FileAnswer = Buffer | Absent | typeof tooLarge;
type Absent = typeof missing | typeof refused;
export const missing = -1;
export const refused = -2;
export const tooLarge = -3;

/** The maximum that one evaluation can read, in bytes (docs/reference/adapters.md#limits). */
export const readLimit = 50_000_000;
/** The size limit of an embedded file, in bytes (docs/reference/adapters.md#limits). */
export const embedLimit = 10_000_000;

/**
 * Files below one root, which are read on demand. Paths are clean and use slashes; `.` is the root.
 */
export interface RootFiles {
  /** Returns the sorted names of the files in a directory; empty if the directory doesn't exist. */
  list(folder: string): readonly string[];
  /** Returns the sorted names of the directories in a directory, without symbolic links. */
  folders(folder: string): readonly string[];
  /**
   * Returns the sorted names of all entries in a directory; empty if the directory doesn't exist.
   * Names of directories end in a slash. A symbolic link to a directory within the root counts as a
   * directory.
   */
  entries(folder: string): readonly string[];
  read(path: string): FileAnswer;
}

export function openRootFiles(source: FileSource): RootFiles {
  switch (source.in) {
    case "directory":
      return directoryFiles(source.directory);
    case "memory":
      return memoryFiles(source.files, source.embedded ?? new Map());
  }
}

/** A directory within the root, with its entries. */
interface Folder {
  readonly path: string;
  readonly entries: ReadonlyMap<string, Dirent>;
}

function directoryFiles(directory: string): RootFiles {
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
      return named.map((e) => (isDirectoryEntry(root, found, e) ? `${e.name}/` : e.name));
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

function isDirectoryEntry(root: string, folder: Folder, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const target = resolveInside(root, join(folder.path, entry.name));
  return typeof target !== "number" && statSync(target, noThrow)?.isDirectory() === true;
}

const noThrow = { throwIfNoEntry: false } as const;

/**
 * Reads an entry of a directory. Only a symbolic link can lead out of a directory within the root,
 * so only links are resolved. Resolving every path would cost more than reading the files.
 */
function readEntry(root: string, folder: Folder, name: string): FileAnswer {
  const entry = folder.entries.get(name);
  if (isGitDirectory(name)) return refused;
  const limit = name.endsWith(".cue") ? readLimit : embedLimit;
  if (entry?.isFile()) return readWithin(join(folder.path, name), limit);
  // Anything else except a link is a directory, or a pipe or device that would block or never end.
  if (!entry?.isSymbolicLink()) return missing;
  const target = resolveInside(root, join(folder.path, name));
  if (typeof target === "number") return target;
  return statSync(target).isFile() ? readWithin(target, limit) : missing;
}

/**
 * Reads a file. qvs treats an unreadable file as missing, and doesn't read a file beyond the limit.
 */
function readWithin(path: string, limit: number): FileAnswer {
  try {
    return statSync(path).size > limit ? tooLarge : readFileSync(path);
  } catch {
    return missing;
  }
}

/**
 * Returns the real path of a file or directory in the root. Refuses links that lead out of the root
 * or into a `.git` directory.
 */
function resolveInside(root: string, path: string): string | Absent {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch {
    return missing;
  }
  const isInside = real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
  return isInside && !relative(root, real).split(sep).some(isGitDirectory) ? real : refused;
}

function memoryFiles(texts: ReadonlyMap<string, string>, embedded: EmbeddedFiles): RootFiles {
  const folders = Map.groupBy([...texts.keys(), ...embedded.keys()], (path) => posix.dirname(path));
  const list = (folder: string) =>
    (folders.get(folder) ?? []).map((path) => posix.basename(path)).sort();
  const inner = (folder: string) => innerDirectories(folder, [...folders.keys()]);
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

/**
 * Returns the names of the directories in a directory. They come from prefixes, because `all` has
 * no directory that contains only directories.
 */
function innerDirectories(folder: string, all: readonly string[]): readonly string[] {
  const prefix = folder === "." ? "" : `${folder}/`;
  const below = all.filter((path) => path !== "." && path.startsWith(prefix) && path !== folder);
  const names = below.map((path) => path.slice(prefix.length).split("/")[0] ?? "");
  return [...new Set(names)].sort();
}
