import { join, relative, sep } from "node:path";
import { unreadableDirectoryProblem } from "../../model/problems/file-problems.ts";
import type { OmittedPath } from "../../ports/git.ts";
import { listEntries } from "../files/list-entries.ts";
import { isGitDirectory } from "./safe-path.ts";
import type { SubmoduleLookup } from "./submodules.ts";

/** The content of a working tree. All paths start at its root. */
export interface WalkedFiles {
  /** Files and links. */
  readonly paths: readonly string[];
  readonly links: readonly string[];
  /** Pipes, sockets and devices. */
  readonly irregular: readonly string[];
  readonly submodules: readonly string[];
  readonly unreadable: readonly OmittedPath[];
}

/**
 * Finds all files below the root. It doesn't follow links to directories, so that the walk ends.
 */
export function walkWorkTree(root: string, submoduleOf: SubmoduleLookup): WalkedFiles {
  const toPath = (name: string) => relative(root, name).split(sep).join("/");
  const submodules: string[] = [];
  const unreadable: OmittedPath[] = [];
  const entries = listEntries(root, {
    enters(name, parentPath) {
      // Neither directory contains files of the application, and both can be huge.
      if (isGitDirectory(name) || name === "node_modules") return false;
      const path = toPath(join(parentPath, name));
      const isSubmodule = submoduleOf(path) !== undefined;
      if (isSubmodule) submodules.push(path);
      return !isSubmodule;
    },
    // Only an input that contains an unreadable directory needs it. It can be the data directory of
    // a database.
    onUnreadable(error) {
      const { code = "", path: directory = root } = error as NodeJS.ErrnoException;
      const path = toPath(directory);
      unreadable.push({ path, problem: unreadableDirectoryProblem(path, code) });
    },
  });
  const pathsOf = (some: typeof entries) =>
    some.map(({ parentPath, name }) => toPath(join(parentPath, name)));
  return {
    paths: pathsOf(entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())),
    links: pathsOf(entries.filter((entry) => entry.isSymbolicLink())),
    irregular: pathsOf(entries.filter((entry) => !entry.isFile() && !entry.isSymbolicLink())),
    submodules: submodules.sort(),
    unreadable,
  };
}
