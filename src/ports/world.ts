import type { GiveWayRules } from "../model/cluster/lock-run.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { Clock } from "./clock.ts";
import type { Compiler } from "./cue.ts";
import type { CommitRelation, ModuleStore, NewestCommit, Repository, SourceTree } from "./git.ts";
import type { Cluster, DeploymentLock, LockRefusal } from "./kubernetes.ts";
import type { Progress } from "./terminal.ts";

/** Where a configuration is read from and what compiles it: the work tree, or one commit. */
export interface Source {
  readonly tree: SourceTree;
  readonly modules: ModuleStore;
  readonly compiler: Compiler;
  /** Of all configs of `tree`. */
  declaredParams(): Promise<ReadonlySet<string>>;
  /** Set where the files are those on disk, which the commit may not have. */
  readonly isWorkTree?: boolean;
  /** Set for commits that are only compared with: what became of a tag since then is no error in them. */
  readonly past?: boolean;
}

/** The place a deployment is aimed at, opened on demand: compiling needs no cluster. */
export interface Target {
  readonly cluster: Cluster;
  /** The namespace that the kubeconfig's context names. */
  readonly namespace?: string | undefined;
  lock(options: LockOptions): Promise<DeploymentLock>;
  /** Asks by dry-run whether the lock could be taken if nobody held it; undefined when it could. */
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
  /** How it makes room for a newer run, and asks an older one to; undefined for neither. */
  readonly giveWay?: GiveWayRules | undefined;
  onAsked?(holder: string): void;
  /** Asked once where the namespace does not exist: whether it does by now. */
  readonly createNamespace?: (() => Promise<boolean>) | undefined;
}

/** What a command receives. Constructed by main.ts and cli.ts only. */
export interface World {
  readonly source: Source;
  /** The git repository around the source; undefined outside of one. */
  readonly repository: Repository | undefined;
  readonly repositoryName: string;
  /** Where in the repository the deployments are listed, if not at its root. */
  readonly folder?: string | undefined;
  /** How two commits, by their full ids, stand to each other: by the clone, else by what the host of the repository knows. */
  relationOf(commit: string, other: string): Promise<CommitRelation>;
  /** The newest commit of a branch, asked anew each time: of the host of the repository, which alone knows it. */
  newestOf(branch: string): Promise<NewestCommit>;
  /** The files of one commit, by its full id. Only where there is a repository. */
  treeAt(commit: string): SourceTree;
  /** Throws a UserError when there is no usable kubeconfig. */
  target(deployment: Deployment): Promise<Target>;
  readonly clock: Clock;
  progress(deployment: Deployment): Progress;
  /** Aborted by Ctrl-C or a cancelled job. */
  readonly signal: AbortSignal;
  /** Commit, actor and run, for the release record. */
  readonly origin: ReleaseSource;
  compress(text: string): Uint8Array;
  decompress(bytes: Uint8Array): string;
  /** SHA-256 in hex. */
  hash(text: string): string;
  /**
   * Whether this run may have changed anything in a cluster but locks, for this deployment; undefined:
   * for any. "Nothing was changed" is derived from nothing else.
   */
  hasChanged(deployment?: string): boolean;
}

/** The world of a whole run. */
export interface OpenWorld extends World {
  /** The same for deployments that run at the same time: each line of their progress names its deployment. */
  sideBySide(): World;
  /** Whether anything was sent to a cluster that may have changed something there, locks and records included. */
  hasWritten(): boolean;
  close(): void;
}
