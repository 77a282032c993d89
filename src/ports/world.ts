import type { GiveWayRules } from "../model/cluster/lock-run.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { Clock } from "./clock.ts";
import type { Compiler } from "./cue.ts";
import type { CommitRelation, ModuleStore, NewestCommit, Repository, SourceTree } from "./git.ts";
import type { Cluster, DeploymentLock, LockRefusal } from "./kubernetes.ts";
import type { Progress } from "./terminal.ts";

/** The source of a configuration and its compiler: the working tree, or one commit. */
export interface Source {
  readonly tree: SourceTree;
  readonly modules: ModuleStore;
  readonly compiler: Compiler;
  /** Returns the params that any config of `tree` declares. */
  declaredParams(): Promise<ReadonlySet<string>>;
  /** Set if the files are those on disk. The commit might not contain them. */
  readonly isWorkTree?: boolean;
  /**
   * Set for commits that qvs only compares with. A tag that has moved since is no error in them.
   */
  readonly past?: boolean;
}

/** The target cluster of a deployment, opened on demand: compiling needs no cluster. */
export interface Target {
  readonly cluster: Cluster;
  /** The namespace in the kubeconfig context. */
  readonly namespace?: string | undefined;
  lock(options: LockOptions): Promise<DeploymentLock>;
  /**
   * Checks with a dry run whether this run could take the lock if no run held it.
   * Returns undefined if it could.
   */
  tryLock(lock: LockName): Promise<LockRefusal | undefined>;
}

interface LockName {
  readonly deployment: string;
  readonly namespace: string;
}

export interface LockOptions extends LockName {
  readonly wait: boolean;
  readonly signal: AbortSignal;
  onWaiting(holder: string): void;
  /**
   * The rules for yielding to a newer run, and for asking an older run to yield; undefined for
   * neither.
   */
  readonly giveWay?: GiveWayRules | undefined;
  onAsked?(holder: string): void;
  /** Called once if the namespace doesn't exist. Resolves with true if the namespace exists now. */
  readonly createNamespace?: (() => Promise<boolean>) | undefined;
}

/** The environment of a command. `openWorld` constructs it. */
export interface World {
  readonly source: Source;
  /** The Git repository around the source; undefined outside of a repository. */
  readonly repository: Repository | undefined;
  readonly repositoryName: string;
  /** The directory of the deployment list, if it isn't the repository's root. */
  readonly folder?: string | undefined;
  /**
   * Returns the relation of two commits by their full ids.
   * The clone answers first, and then the repository's host.
   */
  relationOf(commit: string, other: string): Promise<CommitRelation>;
  /** Asks the repository's host for the newest commit of a branch, on each call. */
  newestOf(branch: string): Promise<NewestCommit>;
  /** Returns the files of one commit by its full id. Requires a repository. */
  treeAt(commit: string): SourceTree;
  /** Opens the target cluster. Throws a UserError if no kubeconfig is usable. */
  target(deployment: Deployment): Promise<Target>;
  readonly clock: Clock;
  progress(deployment: Deployment): Progress;
  /** Aborted by Ctrl-C or a canceled job. */
  readonly signal: AbortSignal;
  /** The commit, actor and run, for the release record. */
  readonly origin: ReleaseSource;
  compress(text: string): Uint8Array;
  decompress(bytes: Uint8Array): string;
  /** Returns the SHA-256 of a string in hex. */
  hash(text: string): string;
  /**
   * Reports whether this run might have changed anything in a cluster except locks.
   * The result is for one deployment, or for all of them if `deployment` is undefined. qvs derives
   * "Nothing was changed" only from this.
   */
  hasChanged(deployment?: string): boolean;
}

/** The world of a whole run. */
export interface OpenWorld extends World {
  /**
   * Returns a world for deployments that run at the same time. Each line of their progress names
   * its deployment.
   */
  sideBySide(): World;
  /**
   * Reports whether qvs sent any request that can change a cluster, including locks and records.
   */
  hasWritten(): boolean;
  close(): void;
}
