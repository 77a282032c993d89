import type { Deployment } from "../../model/deployments/deployment.ts";
import type { UpstreamDeployments } from "../../model/deployments/other-deployments.ts";
import type { VersionCheck } from "../../model/kubernetes-versions.ts";
import { type Approval, toApproval } from "../../model/plan/approval.ts";
import type { Attributions } from "../../model/plan/attribution.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { RollbackPreview } from "../../model/plan/predictions.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { ChangedSource } from "../../model/sources/locked-source.ts";
import { inlineCode, type Phrase, say } from "../../redaction/phrase.ts";
import type { Review } from "../review/review.ts";

/**
 * All data of a pull request's comment. The command gathers it, and rendering reads nothing else.
 */
export interface CommentInput extends PreviewContext {
  readonly deployments: readonly DeploymentReport[];
}

/** Everything in a pull request's comment that isn't about one deployment. */
export interface PreviewContext {
  /**
   * The errors that prevent a preview, such as an unreadable deployments.yaml or a missing base
   * commit. If they are set, there are no deployments.
   */
  readonly previewProblems?: readonly Problem[] | undefined;
  /** The full ID of the previewed commit. */
  readonly headCommit: string;
  /** The number of the pull request. Undefined outside a pull request. */
  readonly pullRequest?: number | undefined;
  /** The URL of the workflow run, for the footer. Undefined outside GitHub. */
  readonly runUrl: string | undefined;
  /**
   * The URL of the repository, such as `https://github.com/acme/shop`. Places become links to it.
   */
  readonly repositoryUrl?: string | undefined;
  /**
   * The name of the run's artifact with the preview as an HTML page. Undefined if there is none.
   */
  readonly previewArtifact?: string | undefined;
  /**
   * The time of writing in ISO 8601. The ages of changes by other field managers are relative to
   * it.
   */
  readonly now?: string | undefined;
}

/**
 * The known facts about one deployment. Unknown facts (no cluster, failed compilation) are absent.
 */
export interface DeploymentReport {
  readonly deployment: Deployment;
  /**
   * The compilation of the target branch. Undefined if the deployment is new or the base doesn't
   * compile.
   */
  readonly base?: Compilation | undefined;
  readonly head?: Compilation | undefined;
  /** The errors that prevent the compilation of the head. */
  readonly problems: readonly Problem[];
  readonly plan?: Plan | undefined;
  /** The source of each change of the plan. */
  readonly attributions?: Attributions | undefined;
  /** The errors that block the plan although the head compiles, such as conflicts and cycles. */
  readonly blockers: readonly Problem[];
  /** Predictions about the cluster, such as rollouts that can't complete. The worst is first. */
  readonly findings?: readonly Finding[] | undefined;
  /** Warnings about objects of an earlier deployment that stay in the cluster after the merge. */
  readonly orphanWarnings?: readonly Problem[] | undefined;
  /**
   * Set if the pull request removes the deployment and a merge deletes it. The plan is the
   * deletion.
   */
  readonly removal?: "delete" | undefined;
  readonly clusterState: ComparisonState;
  /**
   * The planned changes of the upstream deployments in the same cluster. The plan is based on them.
   */
  readonly earlier?: UpstreamDeployments | undefined;
  /**
   * All upstream deployments, direct and indirect, including those that the pull request doesn't
   * change.
   */
  readonly waitsFor?: readonly string[] | undefined;
  /** The revision of the current release. Undefined if unknown or never deployed. */
  readonly release?: number | undefined;
  /** The rollback of the plan. Undefined if it wasn't predicted or returns to no release. */
  readonly rollback?: RollbackPreview | undefined;
  /** The sources with another entry in the lockfile; undefined if there are none. */
  readonly sources?: readonly ChangedSource[] | undefined;
  /** Set if the deployment was checked against another version of Kubernetes. */
  readonly againstVersion?: VersionCheck | undefined;
}

/**
 * Returns the digest that an approval refers to. Undefined without a plan, or if the plan is
 * blocked.
 */
export function approvableDigest(report: DeploymentReport): string | undefined {
  return approvableApproval(report)?.digest;
}

/** Returns the digest and the operations of the plan, which later plans are compared with. */
export function approvableApproval({ plan, blockers }: DeploymentReport): Approval | undefined {
  return blockers.length > 0 || plan === undefined ? undefined : toApproval(plan);
}

type ComparisonState = { readonly compared: true } | ({ readonly compared: false } & NotCompared);

/** The reason why the cluster isn't compared. */
export interface NotCompared {
  /** Completes the sentence "not compared with the cluster because …". */
  readonly because: string;
  /** True for a pull request from a fork, which can be compared after a push to the repository. */
  readonly isFork?: true;
}

/** Returns a warning if a review comes from an artifact, otherwise undefined. */
export function describeArtifact({ artifactOf }: Review): Phrase | undefined {
  if (artifactOf === undefined) return undefined;
  const { repository, isFork } = artifactOf;
  if (!isFork) {
    return say`This preview comes from an artifact of a Dependabot run. It doesn't approve any plan.`;
  }
  return say`This preview comes from an artifact of a run in the fork ${inlineCode(repository)}. The author of this pull request can change it. qvs didn't compare it with the cluster, and it doesn't approve any plan. Review the changed files, too.`;
}
