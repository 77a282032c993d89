import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UserError } from "../../model/problems/errors.ts";
import type { GitRepository } from "../../ports/git.ts";
import type { Environment } from "../environment.ts";
import {
  changedPaths,
  commitsSince,
  linesShown,
  relationInClone,
  resolveRevision,
} from "./compare-commits.ts";
import { lineOrigin } from "./line-origin.ts";
import { listAll, listTree, type TreeContent, type TreeEntry } from "./list-tree.ts";
import { isFullId } from "./modules/fetch-commit.ts";
import {
  type leadsOutside,
  readObjects,
  readObjectsOrLinks,
  readSmallObjects,
} from "./read-objects.ts";
import { type GitCall, runGit } from "./run-git.ts";

/** A Repository that can also read single files, for the SourceTree of a commit. */
export interface ObjectRepository extends GitRepository {
  listing(commit: string): Promise<CommitListing>;
  /**
   * Returns the contents of files in a commit as strings, by the names in `entries`. It omits a
   * link that leads outside.
   */
  readEntries(
    commit: string,
    entries: ReadonlyMap<string, TreeEntry>,
  ): Promise<ReadonlyMap<string, string>>;
  /** Returns the contents of files in a commit, by path. It omits files beyond the limits. */
  readSmall(
    commit: string,
    entries: readonly TreeEntry[],
    limits: { readonly largest: number; readonly most: number },
  ): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Returns the contents of the files that exist, by path. The value of a link that leads outside
   * is `leadsOutside`.
   */
  readFiles(
    commit: string,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, Buffer | typeof leadsOutside>>;
}

/** The list of all files in a commit. */
export interface CommitListing extends Omit<TreeContent, "links"> {
  /** The targets of the links, by path. */
  readonly links: ReadonlyMap<string, string>;
}

/**
 * Returns the repository that contains `directory`; undefined if no repository does.
 * A directory that is itself a bare repository doesn't count: a commit can add one, with settings
 * that name commands. git before 2.38 doesn't know `safe.bareRepository`, which excludes it.
 */
export async function openRepository(
  directory: string,
  environment: Environment,
): Promise<ObjectRepository | undefined> {
  if (!(await isBelowRepository(directory))) return undefined;
  const answer = await runGit(["rev-parse", "--show-toplevel"], { directory, environment });
  if (answer.stderr.includes("dubious ownership")) {
    throw new UserError([
      {
        code: "git-failed",
        where: [],
        what: `The repository ${directory} belongs to another user`,
        why: "git refuses to read it",
        fix: `Run git config --global --add safe.directory ${directory}`,
      },
    ]);
  }
  if (answer.code !== 0) return undefined;
  const root = await realpath(answer.stdout.toString().replace(/\n$/, ""));
  if (!(await pathExists(join(root, ".git")))) return undefined;
  return toRepository(root, { directory: root, environment });
}

/**
 * Reports whether the directory or one above it has a `.git`. Without one, git needs no start,
 * which takes longer than all of these reads.
 */
async function isBelowRepository(directory: string): Promise<boolean> {
  // Like git, it follows the real path. If the directory doesn't exist, git can't start in it.
  let place = await realpath(directory).catch(() => undefined);
  while (place !== undefined) {
    if (await pathExists(join(place, ".git"))) return true;
    const above = dirname(place);
    place = above === place ? undefined : above;
  }
  return false;
}

async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Returns a repository that runs git with `call`. `root` only sets the field of that name.
 * It reads the checkout once: its commit, its changes and its remote. Every deployment of a run
 * records them, and the start of a process takes longer the more memory the run uses.
 */
export function toRepository(root: string, call: GitCall): ObjectRepository {
  /**
   * The commits that git has found. A commit stays in the clone, and the meaning of its full id
   * never changes.
   */
  const commits = new Map<string, string>();
  const head = once(() => resolveRevision("HEAD", call));
  return {
    root,
    async resolve(revision) {
      if (revision === "HEAD") return head();
      if (!isFullId(revision)) return resolveRevision(revision, call);
      const found = commits.get(revision) ?? (await resolveRevision(revision, call));
      if (found !== undefined) commits.set(revision, found);
      return found;
    },
    origin: once(() => readOrigin(call)),
    defaultBranch: () => defaultBranch(call),
    tipAtOrigin: (branch) => tipAtOrigin(branch, call),
    mergeBase: (a, b) => mergeBase(a, b, call),
    relation: (commit, other) => relationInClone(commit, other, call),
    hasUncommittedChanges: once(() => hasUncommittedChanges(call)),
    commitsSince: (base, tip, most) => commitsSince(base, tip, most, call),
    linesShown: (base, head, path) => linesShown(base, head, path, call),
    lineOrigin: (commit, path, line) => lineOrigin(commit, path, line, call),
    changedPaths: (base, head) => changedPaths(base, head, call),
    async readTree(commit, folder, endings) {
      const entries = await listTree(commit, folder, endings, call);
      return readObjects(commit, entries, call);
    },
    async listing(commit) {
      const { links, ...content } = await listAll(commit, call);
      return { ...content, links: await readObjects(commit, links, call) };
    },
    readEntries: (commit, entries) => readEntries(commit, entries, call),
    readSmall: (commit, entries, limits) => readSmallObjects(commit, entries, limits, call),
    readFiles: (commit, paths) => {
      const entries = paths.map((path) => ({ path, object: undefined }));
      return readObjectsOrLinks(commit, entries, call);
    },
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= read();
    return answer;
  };
}

/** Reads each file once. One file can have several names, through links. */
async function readEntries(
  commit: string,
  entries: ReadonlyMap<string, TreeEntry>,
  call: GitCall,
): Promise<ReadonlyMap<string, string>> {
  const byPath = new Map([...entries.values()].map((entry) => [entry.path, entry]));
  const texts = await readObjects(commit, [...byPath.values()], call);
  const named = [...entries].map(([name, { path }]) => [name, texts.get(path)] as const);
  return new Map(named.filter((each): each is [string, string] => each[1] !== undefined));
}

async function readOrigin(call: GitCall): Promise<string | undefined> {
  const answer = await runGit(["config", "--get", "remote.origin.url"], call);
  return answer.code === 0 ? remotePath(answer.stdout.toString().trim()) : undefined;
}

/**
 * Returns the tip by the exact name of the ref. If the ref doesn't exist, a revision could also be
 * a tag with such a name.
 */
async function tipAtOrigin(branch: string, call: GitCall): Promise<string | undefined> {
  const name = `refs/remotes/origin/${branch}`;
  const answer = await runGit(["show-ref", "--verify", "--hash", name], call);
  return answer.code === 0 ? answer.stdout.toString().trim() : undefined;
}

/**
 * Returns the default branch. A clone records the one of its remote. Otherwise, the usual names
 * precede the branch that a user happens to work on.
 */
async function defaultBranch(call: GitCall): Promise<string | undefined> {
  const atOrigin = await branchBehind("refs/remotes/origin/HEAD", "refs/remotes/origin/", call);
  if (atOrigin !== undefined) return atOrigin;
  for (const usual of ["main", "master"])
    if (await exists(`refs/heads/${usual}`, call)) return usual;
  return branchBehind("HEAD", "refs/heads/", call);
}

async function branchBehind(
  symbolic: string,
  prefix: string,
  call: GitCall,
): Promise<string | undefined> {
  const answer = await runGit(["symbolic-ref", "--quiet", symbolic], call);
  const ref = answer.stdout.toString().trim();
  return answer.code === 0 && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
}

async function exists(ref: string, call: GitCall): Promise<boolean> {
  return (await runGit(["show-ref", "--verify", "--quiet", ref], call)).code === 0;
}

async function mergeBase(a: string, b: string, call: GitCall): Promise<string | undefined> {
  const commits = await Promise.all([a, b].map((revision) => resolveRevision(revision, call)));
  if (commits.includes(undefined)) return undefined;
  const answer = await runGit(["merge-base", ...commits.map(String)], call);
  return answer.code === 0 ? answer.stdout.toString().trim() : undefined;
}

/**
 * Reports whether the working tree has changes. Submodules don't count, because they are separate
 * repositories. If git fails, qvs assumes changes.
 */
async function hasUncommittedChanges(call: GitCall): Promise<boolean> {
  const flags = ["--porcelain", "--untracked-files=normal", "--ignore-submodules=all"];
  const answer = await runGit(["--no-optional-locks", "status", ...flags], call);
  return answer.code !== 0 || answer.stdout.length > 0;
}

/**
 * Returns the owner and name of a remote repository, for any form of its URL.
 * `https://host/acme/shop.git` and `git@host:acme/shop` are both `acme/shop`.
 * It ignores host, port and credentials: a mirror or another protocol is the same repository.
 * Undefined for a local directory, whose path has no such meaning.
 */
export function remotePath(url: string): string | undefined {
  const path =
    /^[a-z][a-z+]*:\/\/[^/]+\/(.+)$/i.exec(url)?.[1] ?? /^[^/:]+:(?!\/\/)(.+)$/.exec(url)?.[1];
  const parts = path?.split("/").filter((part) => part !== "") ?? [];
  const name = parts
    .slice(-2)
    .join("/")
    .replace(/\.git$/, "");
  return name === "" ? undefined : name;
}
