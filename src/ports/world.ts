import type { YieldRules } from "../model/cluster/deployment-lock.ts";
import type { Deployment, ListingLookup } from "../model/deployments/deployment.ts";
import type { OtherDeclarations } from "../model/deployments/other-deployments.ts";
import type { ReleaseSource } from "../model/deployments/release.ts";
import type { ChartStore } from "./charts.ts";
import type { Clock } from "./clock.ts";
import type { Compiler } from "./cue.ts";
import type {
  CommitRelation,
  GitRepository,
  ModuleStore,
  NewestCommit,
  SourceTree,
} from "./git.ts";
import type { Cluster, DeploymentLock, LockObstacle } from "./kubernetes.ts";
import type { HttpProbe } from "./probe.ts";
import type { ProgressReporter } from "./terminal.ts";

/** The source of a configuration and its compiler: the working tree, or one commit. */
export interface ConfigSource {
  readonly tree: SourceTree;
  readonly modules: ModuleStore;
  readonly charts: ChartStore;
  readonly compiler: Compiler;
  /** Returns the params that any config of `tree` declares. */
  declaredParams(): Promise<ReadonlySet<string>>;
  /** Set if the files are those on disk. The commit might not contain them. */
  readonly isWorkingTree?: boolean;
  /**
   * Set for commits that qvs only compares with. A tag that has moved since is no error in them.
   */
  readonly past?: boolean;
}

/** The target cluster of a deployment, opened on demand: compiling needs no cluster. */
export interface TargetCluster {
  readonly cluster: Cluster;
  /** The namespace in the kubeconfig context. */
  readonly namespace?: string | undefined;
  lock(options: LockOptions): Promise<DeploymentLock>;
  /**
   * Checks with a dry run whether this run could take the lock if no run held it.
   * Returns undefined if it could.
   */
  dryRunLock(lock: LockId): Promise<LockObstacle | undefined>;
}

interface LockId {
  readonly deployment: string;
  readonly namespace: string;
}

export interface LockOptions extends LockId {
  readonly wait: boolean;
  readonly signal: AbortSignal;
  onWaiting(holder: string): void;
  /**
   * The rules for yielding to a newer run, and for asking an older run to yield; undefined for
   * neither.
   */
  readonly yieldRules?: YieldRules | undefined;
  onYieldRequested?(holder: string): void;
  /** Called once if the namespace doesn't exist. Resolves with true if the namespace exists now. */
  readonly createNamespace?: (() => Promise<boolean>) | undefined;
}

/** The environment of a command. `openWorld` constructs it. */
export interface World {
  readonly source: ConfigSource;
  /** The Git repository around the source; undefined outside of a repository. */
  readonly repository: GitRepository | undefined;
  readonly repositoryName: string;
  /** The directory of the deployment list, if it isn't the repository's root. */
  readonly folder?: string | undefined;
  /**
   * Returns the relation of two commits by their full ids.
   * The clone answers first, and then the repository's host.
   */
  compareCommits(commit: string, other: string): Promise<CommitRelation>;
  /** Asks the repository's host for the newest commit of a branch, on each call. */
  newestCommit(branch: string): Promise<NewestCommit>;
  /** Looks up a deployment in the newest commit of the branch; undefined if none is deployed. */
  readonly listing?: ListingLookup | undefined;
  /**
   * Returns the objects that the other deployments of the same run, environment and context
   * declare. Missing if the run has only one deployment.
   */
  readonly declaredElsewhere?: (deployment: Deployment) => Promise<readonly OtherDeclarations[]>;
  /** Returns the files of one commit by its full id. Requires a repository. */
  commitTree(commit: string): SourceTree;
  /** Opens the target cluster. Throws a UserError if no kubeconfig is usable. */
  target(deployment: Deployment): Promise<TargetCluster>;
  /** Sends requests of checks to addresses outside of the cluster's API. */
  readonly probe: HttpProbe;
  readonly clock: Clock;
  progress(deployment: Deployment): ProgressReporter;
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
  forParallelRuns(): World;
  /**
   * Reports whether qvs sent any request that can change a cluster, including locks and records.
   */
  hasWritten(): boolean;
  close(): void;
}
