import type { NotKnown } from "../model/listing.ts";
import type { Result } from "../model/problems/problem.ts";
import type { Moved } from "../model/text/reference-text.ts";
import type { FileSource } from "./cue.ts";

/** How a commit stands to another one: "older" when it is an ancestor of it. "unknown" where the histories at hand don't tell. */
export type CommitRelation = "same" | "older" | "newer" | "diverged" | "unknown";

/** A git repository read through its objects: nothing is checked out, no hook or filter runs. */
export interface Repository {
  /** Absolute path of the work tree. */
  readonly root: string;
  /** Full commit id of a revision; undefined when there is none. */
  resolve(revision: string): Promise<string | undefined>;
  /** Owner and name of the remote `origin`, e.g. `acme/shop`; undefined without one, and when it is a folder. */
  origin(): Promise<string | undefined>;
  /** The branch that pull requests are for: that of `origin`, otherwise `main`, `master` or the one that is checked out. undefined before there is any. */
  defaultBranch(): Promise<string | undefined>;
  /**
   * Where the branch was at the remote `origin` when it was last fetched; undefined when it never was. actions/checkout sets it to the
   * commit that it checks out, so that it never tells of a newer one.
   */
  tipAtOrigin(branch: string): Promise<string | undefined>;
  /** The commit at which two histories parted; undefined when they have none in common in this clone. */
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /** By what this clone holds. A shallow one can say that a commit is older or newer, but not that it is neither. */
  relation(commit: string, other: string): Promise<CommitRelation>;
  /** Whether the work tree has changes, new files among them, that its commit does not have. */
  hasUncommittedChanges(): Promise<boolean>;
  /**
   * Full ids of the newest `most` commits that `tip` has and `base` has not: first those that were made on the branch of `tip` itself, then
   * what they merged. undefined when the clone does not have both.
   */
  commitsSince(base: string, tip: string, most: number): Promise<readonly string[] | undefined>;
  /** The lines of a file that a comparison of two commits shows, those around a change among them. */
  linesShown(base: string, head: string, path: string): Promise<readonly LineRange[]>;
  /** Paths that differ between two commits. */
  changedPaths(base: string, head: string): Promise<readonly string[]>;
  /** The files below `folder` ("" for all) of a commit whose path ends in one of `endings`, by path relative to the root. */
  readTree(
    commit: string,
    folder: string,
    endings: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
}

/** From 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Texts of files, by paths that are relative to the repository's root. */
export interface FileTree {
  /** undefined when there is no such file; a path or link that leads outside throws a UserError. */
  read(path: string): Promise<string | undefined>;
  /** Every file whose path ends in one of `endings`, sorted. */
  list(endings: readonly string[]): Promise<readonly string[]>;
}

/** The newest commit of a branch as the host of the repository has it now, or why nobody knows that. */
export type NewestCommit =
  | { readonly type: "known"; readonly commit: string; readonly tree: FileTree }
  | NotKnown;

/** Files of the application's repository: the work tree, or one commit of it. */
export interface SourceTree extends FileTree {
  /** The folder as a source of CUE files. */
  folder(path: string): Promise<FileSource>;
  /** `path`, the links that it leads through and the file behind them: a change of any of them changes what is read. */
  behind(path: string): Promise<readonly string[]>;
}

/** One module from git, as a config names it. */
export interface ModuleRequest {
  readonly repo: string;
  /** A tag, a branch, or a full or shortened commit id. */
  readonly revision: string;
  /** The folder of the repository that is the module's root; "" for the repository's own. */
  readonly path: string;
  /** The commit that the lock has for the revision; undefined asks the repository which one it is. */
  readonly locked: string | undefined;
}

export interface FetchedModule {
  /** Full id. */
  readonly commit: string;
  /** `sha256:…` over the CUE files and what they embed. */
  readonly hash: string;
  readonly files: FileSource;
  /**
   * What a locked revision is by now, where that is another commit. The repository is asked only when the locked one has
   * to be fetched anyway: a commit that is at hand, and was once seen under this revision, needs no network.
   */
  readonly moved: Moved | undefined;
}

/** Adapter modules from git, cached by commit. What was fetched once is what every later call of a run gets. */
export interface ModuleStore {
  fetch(request: ModuleRequest): Promise<Result<FetchedModule>>;
}
