import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix, sep } from "node:path";
import type { FileSource } from "../../ports.ts";

/** The answer to a request for a file. The numbers are the engine's error codes. */
export type FileAnswer = Buffer | Absent | typeof tooLarge;
type Absent = typeof missing | typeof refused;
export const missing = -1;
export const refused = -2;
export const tooLarge = -3;

/** Files below one root, read when they are asked for. Paths are slash-separated and clean; "." is the root. */
export interface Files {
  /** Sorted names of the files directly in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** All folders, at any depth, the root as "." included; links to folders are not followed, so that there is an end. */
  folders(): readonly string[];
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
    folders: () => foldersBelow(root, "."),
    read(path) {
      const found = open(posix.dirname(path));
      if (typeof found === "number") return found;
      return readEntry(root, found, posix.basename(path));
    },
  };
}

/** Deeper than any module; a repository cannot make us walk for ever. */
const maxFolders = 20_000;

function foldersBelow(root: string, start: string): readonly string[] {
  const found = [start];
  for (let next = 0; next < found.length && found.length < maxFolders; next += 1) {
    const folder = found[next] ?? start;
    const opened = isVendored(folder) ? missing : openFolder(root, folder);
    if (typeof opened === "number") continue;
    for (const entry of opened.entries.values()) {
      if (entry.isDirectory()) found.push(posix.join(folder, entry.name));
    }
  }
  return found;
}

/** Folders below which there is no adapter of this module, and a lot of files. */
function isVendored(folder: string): boolean {
  return ["cue.mod", "node_modules", ".git"].includes(posix.basename(folder));
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
  if (entry?.isFile()) return readFileSync(join(folder.path, name));
  // Anything else that is not a link is a folder, or a pipe or device that would block or never end.
  if (!entry?.isSymbolicLink()) return missing;
  const target = resolveInside(root, join(folder.path, name));
  if (typeof target === "number") return target;
  return statSync(target).isFile() ? readFileSync(target) : missing;
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
    folders: () => [...new Set([".", ...[...folders.keys()].flatMap(withParents)])],
    list: (folder) => (folders.get(folder) ?? []).map((path) => posix.basename(path)).sort(),
    read: (path) => {
      const text = texts.get(path);
      return text === undefined ? missing : Buffer.from(text);
    },
  };
}

function withParents(folder: string): readonly string[] {
  return folder === "." ? [] : [folder, ...withParents(posix.dirname(folder))];
}
