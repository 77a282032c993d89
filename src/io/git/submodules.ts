import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Returns the submodule that contains a path, or is this path; undefined for no submodule. */
export type SubmoduleLookup = (path: string) => string | undefined;

/**
 * Looks up the submodules of a working tree. A directory with a `.git` is one, because git never
 * adds its files to a commit of the repository around it. An empty directory is one if
 * `.gitmodules` lists it: it was not checked out.
 * A directory that is no repository itself has no submodules.
 */
export function workTreeSubmodules(root: string): SubmoduleLookup {
  if (!exists(join(root, ".git"))) return () => undefined;
  const listed = new Set(readSubmodulePaths(root));
  const known = new Map<string, string | undefined>();
  const find = (path: string): string | undefined => {
    if (path === "" || path === ".") return undefined;
    if (known.has(path)) return known.get(path);
    const parent = posix.dirname(path);
    const directory = join(root, path);
    const isSubmodule = exists(join(directory, ".git")) || (listed.has(path) && isEmpty(directory));
    const found = find(parent) ?? (isSubmodule ? path : undefined);
    known.set(path, found);
    return found;
  };
  return find;
}

/** Looks up the submodules of a commit. */
export function commitSubmodules(submodules: readonly string[]): SubmoduleLookup {
  return (path) => submodules.find((each) => path === each || path.startsWith(`${each}/`));
}

/** Returns the paths in `.gitmodules`. */
function readSubmodulePaths(root: string): readonly string[] {
  try {
    const text = readFileSync(join(root, ".gitmodules"), "utf8");
    return text.split("\n").flatMap((line) => {
      const [name = "", ...value] = line.split("=");
      return name.trim() === "path" ? [value.join("=").trim().replaceAll('"', "")] : [];
    });
  } catch {
    return [];
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch {
    return false;
  }
}
