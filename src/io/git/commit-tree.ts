import { UserError, unplacedError } from "../../model/problems/errors.ts";
import {
  isLfsPointer,
  lfsPointerProblem,
  lineBreakProblem,
  submoduleProblem,
} from "../../model/problems/file-problems.ts";
import type { FileSource } from "../../ports/cue.ts";
import type { SourceTree } from "../../ports/git.ts";
import { absenceProblem, follow, linkProblem, omittedLinks } from "./commit-links.ts";
import { readEmbedded } from "./embeds/read-embedded.ts";
import { routePaths } from "./follow-links.ts";
import { isIgnoredByCue, listCueFiles, type TreeEntry } from "./list-tree.ts";
import { leadsOutside } from "./read-objects.ts";
import type { CommitListing, ObjectRepository } from "./repository.ts";
import { notInClone } from "./run-git.ts";
import {
  missingDirectoryError,
  outsideError,
  outsideLinkProblem,
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
    const cueFiles = listCueFiles(end, all);
    const found = await repository.readEntries(commit, cueFiles);
    requireAllRead(cueFiles, found, all);
    if (found.size === 0) {
      const problem = absenceProblem(path, all);
      throw problem === undefined ? missingDirectoryError(path) : unplacedError(problem);
    }
    const embedded = await readEmbedded(repository, commit, end, found, all);
    return { in: "memory", files: found, embedded };
  };
  const readBytes = async (path: string) => {
    const inside = requireInside(path);
    const found = await files(inside);
    if (found === leadsOutside) throw unplacedError(outsideLinkProblem(path));
    if (found !== undefined && isLfsPointer(found)) throw unplacedError(lfsPointerProblem(path));
    if (found !== undefined) return found;
    const all = await listed();
    const { end } = follow(inside, all);
    const problem = absenceProblem(inside, all);
    if (problem !== undefined) throw unplacedError(problem);
    if (all.entries.some((entry) => entry.path === end)) throw notInClone(path);
    return undefined;
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
    async omitted() {
      const all = await listed();
      return [
        ...all.submodules.map((path) => ({ path, problem: submoduleProblem(path) })),
        ...all.unnamable.map((path) => ({ path, problem: lineBreakProblem(path) })),
        ...omittedLinks(all),
      ];
    },
    trackedByLfs: async () => [],
  };
}

/**
 * Throws an error for a CUE file that is a link to nothing or to the outside. Without the file, its
 * package would have fewer resources.
 */
function requireAllRead(
  files: ReadonlyMap<string, TreeEntry>,
  read: ReadonlyMap<string, string>,
  all: CommitListing,
): void {
  const unread = [...files].filter(([name]) => !read.has(name) && !isIgnoredByCue(name));
  const problems = unread.flatMap(([, { path }]) => linkProblem(path, all) ?? []);
  if (problems.length > 0) throw new UserError(problems.map((each) => ({ ...each, where: [] })));
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
