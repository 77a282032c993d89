import type { Compilation } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";

/** Everything that a pull request's comment says, gathered by the command; rendering asks for nothing more. */
export interface CommentInput {
  readonly deployments: readonly DeploymentReport[];
  /** Why nothing can be previewed at all: an unreadable deployments.yaml, a missing base commit. There are no deployments then. */
  readonly obstacles?: readonly Problem[] | undefined;
  /** Full commit id that was previewed. */
  readonly headCommit: string;
  /** The workflow run, for the footer; undefined outside GitHub. */
  readonly runUrl: string | undefined;
}

/** What is known about one deployment; what is missing (no cluster, failed compilation) is left out, never guessed. */
export interface DeploymentReport {
  readonly deployment: Deployment;
  /** The target branch's compilation; undefined when the deployment is new or the base does not compile. */
  readonly base?: Compilation | undefined;
  readonly head?: Compilation | undefined;
  /** Why the head does not compile. */
  readonly problems: readonly Problem[];
  readonly plan?: Plan | undefined;
  /** Why there is no plan although the head compiles: conflicts, cycles, refused deletions … */
  readonly planProblems: readonly Problem[];
  /** Things that the cluster would do to this plan: doomed rollouts, quotas … */
  readonly findings?: readonly Problem[] | undefined;
  /** What an earlier deployment made and merging does not take away. */
  readonly leftBehind?: readonly Problem[] | undefined;
  readonly clusterState: ClusterState;
  /** Revision of the release that now runs; undefined when unknown or never deployed. */
  readonly release?: number | undefined;
}

export type ClusterState =
  | { readonly compared: true }
  /** `because` completes the sentence "not compared with the cluster because …". */
  | { readonly compared: false; readonly because: string };
