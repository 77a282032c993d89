import { posix } from "node:path";
import type { Files } from "./sources.ts";

/** More than any module has; a repository cannot make us walk for ever. */
const maxFolders = 20_000;

/** The folders of a module that may hold packages of its own, the root as "." first; links are not followed. */
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
