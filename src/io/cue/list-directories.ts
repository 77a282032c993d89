import { posix } from "node:path";
import type { RootFiles } from "./root-files.ts";

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
