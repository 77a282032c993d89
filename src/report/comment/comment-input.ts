import type { Approval } from "../../model/approval.ts";
import type { Attributions } from "../../model/attribution.ts";
import type { Compilation } from "../../model/compilation.ts";
import type { Deployment } from "../../model/deployment.ts";
import type { Earlier } from "../../model/earlier.ts";
import type { Plan } from "../../model/plan.ts";
import { approvalOf } from "../../model/problems/approval-codes.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** Everything that a pull request's comment says, gathered by the command; rendering asks for nothing more. */
export interface CommentInput {
  readonly deployments: readonly DeploymentReport[];
  /** Why nothing can be previewed at all: an unreadable deployments.yaml, a missing base commit. There are no deployments then. */
  readonly previewProblems?: readonly Problem[] | undefined;
  /** Full commit id that was previewed. */
  readonly headCommit: string;
  /** Its number; undefined where none is previewed. */
  readonly pullRequest?: number | undefined;
  /** The workflow run, for the footer; undefined outside GitHub. */
  readonly runUrl: string | undefined;
  /** Where people read the repository, e.g. `https://github.com/acme/shop`; places are links then. */
  readonly repositoryUrl?: string | undefined;
  /** Name of the run's artifact with the whole preview as a page; undefined where there will be none. */
  readonly previewArtifact?: string | undefined;
  /** When it is written, ISO 8601: how long ago others changed something is told by it. */
  readonly now?: string | undefined;
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
  /** Whose doing each change of the plan is. */
  readonly attributions?: Attributions | undefined;
  /** Why the plan would not be executed although the head compiles: conflicts, cycles, refused deletions … */
  readonly blockers: readonly Problem[];
  /** What the cluster would do with this plan: rollouts that can't finish, quotas …; the worst first. */
  readonly findings?: readonly Finding[] | undefined;
  /** What an earlier deployment made and merging does not take away. */
  readonly orphanWarnings?: readonly Problem[] | undefined;
  /** Set where the pull request removes the deployment and merging deletes it: the plan is that of the deletion. */
  readonly removal?: "delete" | undefined;
  readonly clusterState: ClusterState;
  /** What the plan rests on: what the deployments that go first, in the same cluster, will have changed by then. */
  readonly earlier?: Earlier | undefined;
  /** The deployments that go first, directly or through others, whether the pull request changes them or not. */
  readonly waitsFor?: readonly string[] | undefined;
  /** Revision of the release that now runs; undefined when unknown or never deployed. */
  readonly release?: number | undefined;
}

/** What an approval of the plan refers to; undefined where there is no plan, or none that would be executed. */
export function approvableDigest(report: DeploymentReport): string | undefined {
  return approvalIn(report)?.digest;
}

/** The same with what the plan does, as far as two plans are compared. */
export function approvalIn({ plan, blockers }: DeploymentReport): Approval | undefined {
  return blockers.length > 0 || plan === undefined ? undefined : approvalOf(plan);
}

type ClusterState =
  | { readonly compared: true }
  /** `because` completes the sentence "not compared with the cluster because …". */
  | { readonly compared: false; readonly because: string };
