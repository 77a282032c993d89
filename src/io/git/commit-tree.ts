import { UserError } from "../../model/problems/errors.ts";
import type { FileSource } from "../../ports/cue.ts";
import type { SourceTree } from "../../ports/git.ts";
import { listCueFiles } from "./cue-files.ts";
import { readEmbedded } from "./embeds/read-embedded.ts";
import { followLinks, type LinkRoute, routePaths } from "./follow-links.ts";
import { notInClone } from "./git-error.ts";
import { leadsOutside } from "./read-objects.ts";
import type { CommitListing, ObjectRepository } from "./repository.ts";
import {
  missingDirectoryError,
  outsideError,
  outsideLinkError,
  requireInside,
} from "./safe-path.ts";

/**
 * Returns the files of one commit from git's objects, without the working tree. It reads each file
 * once.
 */
export function commitTree(repository: ObjectRepository, commit: string): SourceTree {
  let listing: Promise<CommitListing> | undefined;
  const listed = () => {
    listing ??= repository.listing(commit);
    return listing;
  };
  const files = batchReads((paths) => repository.readFiles(commit, paths));
  const folders = new Map<string, Promise<FileSource>>();
  const openFolder = async (path: string): Promise<FileSource> => {
    const all = await listed();
    const { end } = follow(path, all);
    if (end === undefined) throw outsideError(path);
    const found = await repository.readEntries(commit, listCueFiles(end, all));
    if (found.size === 0) throw missingDirectoryError(path);
    const embedded = await readEmbedded(repository, commit, end, found, all);
    return { in: "memory", files: found, embedded };
  };
  const isListed = async (path: string) => {
    const all = await listed();
    const { end } = follow(path, all);
    return all.entries.some((entry) => entry.path === end);
  };
  const readBytes = async (path: string) => {
    const found = await files(requireInside(path));
    if (found === leadsOutside) throw outsideLinkError(path);
    if (found === undefined && (await isListed(requireInside(path)))) throw notInClone(path);
    return found;
  };
  return {
    read: async (path) => (await readBytes(path))?.toString(),
    readBytes,
    list: async (endings) => {
      const { entries } = await listed();
      const paths = entries.map((entry) => entry.path);
      return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
    },
    async folder(path) {
      const inside = requireInside(path);
      const opened = folders.get(inside) ?? openFolder(inside);
      folders.set(inside, opened);
      return opened;
    },
    linkedPaths: async (path) => routePaths(path, follow(path, await listed())),
  };
}

function follow(path: string, { links }: CommitListing): LinkRoute {
  return followLinks(path, (link) => links.get(link));
}

/**
 * Returns the commit of a checkout. A run must not read anything else, such as files that other
 * steps left.
 */
export async function headCommit(repository: ObjectRepository | undefined): Promise<string> {
  const head = await repository?.resolve("HEAD");
  if (head !== undefined) return head;
  throw new UserError([
    {
      code: "not-a-git-repository",
      where: [],
      what: "The working directory isn't in a Git repository with a commit",
      fix: "Run actions/checkout before this step, without its input `path`",
      otherwise: [
        "install git on the runner: without git, actions/checkout fetches only the files",
      ],
    },
  ]);
}

/**
 * Returns a function that answers all requests of one turn of the event loop with a single process,
 * and no request twice.
 * The start of a process copies the page tables of this one. With compiling threads in it, that
 * takes tens of milliseconds.
 */
function batchReads<T>(
  readAll: (paths: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (path: string) => Promise<T | undefined> {
  const known = new Map<string, Promise<T | undefined>>();
  let waiting: string[] = [];
  let next: Promise<ReadonlyMap<string, T>> | undefined;
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    waiting.push(path);
    next ??= nextTurn().then(() => {
      const batch = waiting;
      waiting = [];
      next = undefined;
      return readAll(batch);
    });
    const answer = next.then((all) => all.get(path));
    known.set(path, answer);
    return answer;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
