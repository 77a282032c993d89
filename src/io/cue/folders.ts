import { posix } from "node:path";
import type { Files } from "./sources.ts";

/**
 * The maximum number of directories that qvs visits. No module has as many, and a repository can't
 * cause an endless walk.
 */
const maxFolders = 20_000;

/**
 * Returns the directories of a module that can contain its packages, first the root as `.`. It
 * doesn't follow symbolic links.
 */
export function foldersOf(files: Files): readonly string[] {
  const folders = ["."];
  for (const folder of folders) {
    if (folders.length > maxFolders) break;
    const inner = files
      .folders(folder)
      .filter((name) => !/^[._]|^(cue\.mod|node_modules)$/.test(name));
    folders.push(...inner.map((name) => posix.join(folder, name)));
  }
  return folders;
}
