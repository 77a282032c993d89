import { userError } from "../../errors.ts";
import type { FileSource, SourceTree } from "../../ports.ts";
import { cueFilesBelow } from "./cue-files.ts";
import { followLinks, pathsOfWay, type Way } from "./follow-links.ts";
import { readTogether } from "./read-together.ts";
import type { CommitListing, ObjectRepository } from "./repository.ts";
import { insideOnly, noFolder, outside } from "./repository-path.ts";

/** The files of one commit, read from git's objects: nothing of the work tree. */
export function commitTree(repository: ObjectRepository, commit: string): SourceTree {
  let listing: Promise<CommitListing> | undefined;
  const listed = () => {
    listing ??= repository.listing(commit);
    return listing;
  };
  const folders = new Map<string, Promise<FileSource>>();
  const open = async (path: string): Promise<FileSource> => {
    const all = await listed();
    const { end } = follow(insideOnly(path), all);
    if (end === undefined) throw outside(path);
    const files = await repository.readEntries(commit, cueFilesBelow(end, all));
    if (files.size === 0) throw noFolder(path);
    return { in: "memory", files };
  };
  const read = readTogether((paths) => repository.readFiles(commit, paths));
  return {
    read: async (path) => read(insideOnly(path)),
    list: async (endings) => {
      const { entries } = await listed();
      const paths = entries.map((entry) => entry.path);
      return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
    },
    // A commit never changes: hundreds of configs share what is read for the first of them.
    folder(path) {
      const known = folders.get(path) ?? open(path);
      folders.set(path, known);
      return known;
    },
    behind: async (path) => pathsOfWay(path, follow(path, await listed())),
  };
}

function follow(path: string, { links }: CommitListing): Way {
  return followLinks(path, (link) => links.get(link));
}

/** What is committed of a checkout. A run must not read what it was not given to read, such as files that other steps left. */
export async function headTree(repository: ObjectRepository | undefined): Promise<SourceTree> {
  const head = await repository?.resolve("HEAD");
  if (repository !== undefined && head !== undefined) return commitTree(repository, head);
  throw userError(
    "There is no commit of a git repository to read here",
    "Run actions/checkout before this step",
  );
}
