import type { UnknownReason } from "../model/deployments/deployment.ts";
import type { Result, UnplacedProblem } from "../model/problems/problem.ts";
import type { MovedRevision } from "../model/text/reference-text.ts";
import type { FileSource } from "./cue.ts";

/**
 * The relation of a commit to another one. It is "older" if it's an ancestor of the other commit.
 * It is "unknown" if the available histories don't show the relation.
 */
export type CommitRelation = "same" | "older" | "newer" | "diverged" | "unknown";

/**
 * A Git repository that qvs reads through its objects: it checks out nothing and runs no hook or
 * filter.
 */
export interface GitRepository {
  /** The absolute path of the working tree. */
  readonly root: string;
  /** Returns the full commit id of a revision; undefined if the revision doesn't exist. */
  resolve(revision: string): Promise<string | undefined>;
  /**
   * Returns the owner and name of the remote `origin`, e.g. `acme/shop`.
   * Returns undefined if the remote doesn't exist or is a directory.
   */
  origin(): Promise<string | undefined>;
  /**
   * Returns the target branch of pull requests: the default branch of `origin`, otherwise `main`,
   * `master` or the current branch.
   * Returns undefined if no branch exists yet.
   */
  defaultBranch(): Promise<string | undefined>;
  /**
   * Returns the commit of a branch of `origin` at the last fetch; undefined if it was never
   * fetched.
   * actions/checkout sets it to the commit that it checks out, so it's never a newer commit.
   */
  tipAtOrigin(branch: string): Promise<string | undefined>;
  /** Returns the common ancestor of two histories; undefined if this clone contains none. */
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /**
   * Returns the relation of two commits in this clone.
   * A shallow clone can show that a commit is older or newer, but not that the commits have
   * diverged.
   */
  relation(commit: string, other: string): Promise<CommitRelation>;
  /** Reports whether the working tree differs from its commit. New files count too. */
  hasUncommittedChanges(): Promise<boolean>;
  /**
   * Returns the full ids of the newest `most` commits in `tip` that aren't in `base`.
   * Commits on the branch of `tip` itself are first, and then the commits that it merged. Returns
   * undefined if the clone doesn't contain both commits.
   */
  commitsSince(base: string, tip: string, most: number): Promise<readonly string[] | undefined>;
  /**
   * Returns the lines of a file that a comparison of two commits shows, including the context
   * lines.
   */
  linesShown(base: string, head: string, path: string): Promise<readonly LineRange[]>;
  /**
   * Returns the commit that last changed a line of a file, as of `commit`. Returns undefined if the
   * clone lacks the commit, or the file has no such line.
   */
  lineOrigin(commit: string, path: string, line: number): Promise<LineOrigin | undefined>;
  /**
   * Returns the paths that differ between two commits. If `head` is undefined, it compares with the
   * working tree: its edited, staged, deleted and new files, without those that git ignores.
   */
  changedPaths(base: string, head: string | undefined): Promise<readonly string[]>;
  /**
   * Returns the files of a commit below `folder` ("" for all) whose path ends with one of
   * `endings`.
   * The keys are paths relative to the root.
   */
  readTree(
    commit: string,
    folder: string,
    endings: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
}

/** A commit of the history. Its strings are untrusted text. */
export interface LogEntry {
  readonly commit: string;
  readonly author: string;
  /** The time of the author, in ISO 8601; empty if it's unknown. */
  readonly time: string;
  readonly subject: string;
}

/** The commit that last changed a line. */
export interface LineOrigin extends LogEntry {
  /** True if this clone's history starts there, so that an older commit might be the origin. */
  readonly isOldestInClone: boolean;
  /** The commit that merged it; undefined if it was made on the branch itself. */
  readonly merge: LogEntry | undefined;
}

/** A range of lines, from 1, with both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** The contents of files, by path relative to the repository's root. */
export interface FileTree {
  /**
   * Returns undefined if the file doesn't exist, or if the path leads to a directory.
   * Throws a UserError for a path or link that leads outside or into a submodule, for a link whose
   * target doesn't exist, and for a pointer of Git LFS.
   */
  read(path: string): Promise<string | undefined>;
  /** Lists every file whose path ends with one of `endings`, sorted. */
  list(endings: readonly string[]): Promise<readonly string[]>;
}

/** The newest commit of a branch at the repository's host, or the reason why it's unknown. */
export type NewestCommit =
  | { readonly type: "known"; readonly commit: string; readonly tree: FileTree }
  | UnknownReason;

/**
 * A path whose files `list` leaves out, and the error for an input that needs them: a submodule, an
 * unreadable directory, a pipe, or a link that leads to a directory, to nothing or outside.
 */
export interface OmittedPath {
  readonly path: string;
  /** The directory at the end of a link. */
  readonly directory?: string;
  readonly problem: UnplacedProblem;
}

/** The files of the application's repository: the working tree, or one commit. */
export interface SourceTree extends FileTree {
  /** Returns the directory as a source of CUE files. */
  folder(path: string): Promise<FileSource>;
  /** Returns the bytes of a file, under the rules of `read`. */
  readBytes(path: string): Promise<Uint8Array | undefined>;
  /**
   * Returns `path`, the links on it and the file at its end. A change of any of them changes the
   * content.
   */
  linkedPaths(path: string): Promise<readonly string[]>;
  /**
   * Returns the paths that `list` leaves out, or whose files it leaves out. A commit and the
   * working tree leave out the same submodules.
   */
  omitted(): Promise<readonly OmittedPath[]>;
  /**
   * Returns those of some files that Git LFS tracks, so that a commit has only their pointers. A
   * commit has none: a pointer in it is an error when qvs reads it.
   */
  trackedByLfs(paths: readonly string[]): Promise<readonly string[]>;
}

/** A module from Git, as a config names it. */
export interface ModuleRequest {
  readonly repo: string;
  /** A tag, a branch, or a full or shortened commit id. */
  readonly revision: string;
  /**
   * The directory of the repository that is the module's root; "" for the root of the repository.
   */
  readonly path: string;
  /** The commit in the lockfile for the revision. If it's undefined, qvs asks the repository. */
  readonly locked: string | undefined;
}

export interface FetchedModule {
  /** The full commit id. */
  readonly commit: string;
  /** `sha256:…` of the CUE files and the files that they embed. */
  readonly hash: string;
  readonly files: FileSource;
  /**
   * The current target of a locked revision if that is another commit.
   * qvs asks the repository only if it must fetch the locked commit anyway. A cached commit that
   * was once seen under this revision needs no network.
   */
  readonly moved: MovedRevision | undefined;
}

/** A whole repository at a commit. */
export interface FetchedRepository extends Pick<FetchedModule, "commit" | "moved"> {
  readonly tree: Pick<SourceTree, "list" | "read">;
}

/** Decides whether a run uses credentials for the repository of a remote base. */
export type BaseLoginRule = (repository: string) => Promise<boolean>;

/**
 * The adapter modules from Git, cached by commit. Every later call of a run gets the same result.
 */
export interface ModuleStore {
  fetch(request: ModuleRequest): Promise<Result<FetchedModule>>;
  /** Fetches the repository of a remote base, for its files of every kind. */
  fetchRepository(request: Omit<ModuleRequest, "path">): Promise<Result<FetchedRepository>>;
  /**
   * Returns the tags of a repository, in any order. Only the repository of a module can be a
   * directory of this machine.
   */
  versions(repo: string, use: "module" | "base"): Promise<Result<readonly string[]>>;
}
