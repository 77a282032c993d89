import type { VersionCheck } from "../../model/kubernetes-versions.ts";
import type { Edge } from "../../model/plan/plan.ts";
import type { RollbackPreview } from "../../model/plan/predictions.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { ChangedSource } from "../../model/sources/locked-source.ts";
import type { NamedForecast } from "../rows/forecasts.ts";
import type { Row } from "../rows/row.ts";
import type { ChangedArguments } from "../trace/changed-arguments.ts";
import type { ChangedModule, ReviewedAutoscaler } from "./build-review.ts";
import type { Counts } from "./count-objects.ts";

/**
 * The version of the format. It increases if readers of the old format would misread the new one.
 */
export const reviewVersion = 1;

/**
 * The content of a comment, a summary and a page, as plain data. Rendering reads and hides nothing.
 * plan.json contains it (docs/reference/plan.md). It has no live objects and no Secret values, and
 * JSON keeps it unchanged.
 */
export interface Review {
  readonly version: typeof reviewVersion;
  /** The full ID of the previewed commit. */
  readonly headCommit: string;
  /** The number of the previewed pull request. */
  readonly pullRequest?: number | undefined;
  readonly deployments: readonly DeploymentReview[];
  /**
   * The errors that prevent a preview, such as an unreadable deployments.yaml or a missing base
   * commit.
   */
  readonly previewProblems?: readonly Problem[] | undefined;
  /** True if the preview fails its job: an error blocks a deployment, or `fail-on` applies. */
  readonly failed?: boolean | undefined;
  /** The URL of the workflow run, for the footer. Undefined outside GitHub. */
  readonly runUrl?: string | undefined;
  /** The URL of the repository. Places become links to it. */
  readonly repositoryUrl?: string | undefined;
  /**
   * The name of the run's artifact with the preview as an HTML page. Undefined if there is none.
   */
  readonly previewArtifact?: string | undefined;
  /** The time of the preview in ISO 8601. */
  readonly now?: string | undefined;
  /**
   * The source of a review from a file that an outsider can write. The file itself doesn't contain
   * it.
   */
  readonly artifactOf?: ArtifactSource | undefined;
}

export interface ArtifactSource {
  /** The repository of the run's code, as `owner/name`. */
  readonly repository: string;
  readonly isFork: boolean;
}

/** The preview of one deployment. */
export interface DeploymentReview {
  readonly name: string;
  /** The path of its config. */
  readonly config: string;
  readonly environment?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace: string;
  /** The revision of the current release. Undefined if unknown or never deployed. */
  readonly release?: number | undefined;
  /**
   * All upstream deployments, direct and indirect. If one of them fails, qvs doesn't attempt this
   * one.
   */
  readonly waitsFor?: readonly string[] | undefined;
  /**
   * Completes "not compared with the cluster because …". Undefined if it was compared, or if there
   * is nothing to compare.
   */
  readonly notComparedBecause?: string | undefined;
  /** True if that is because the pull request comes from a fork. */
  readonly isFork?: true | undefined;
  /** True without a plan: every change is a difference between two commits. */
  readonly isOfCommits: boolean;
  /** True if the cluster contains none of its objects and no release has succeeded. */
  readonly isFirst: boolean;
  /** The base for the sources of the changes. Undefined if the sources are unknown. */
  readonly origin?: ReviewedOrigin | undefined;
  /** The errors of the compilation. */
  readonly problems: readonly ReviewedProblem[];
  /** The errors that block the plan although the head compiles. */
  readonly blockers: readonly ReviewedProblem[];
  /** Predictions about the cluster, the worst first. */
  readonly findings: readonly ReviewedFinding[];
  readonly orphanWarnings: readonly Problem[];
  /** Set if the pull request removes the deployment and a merge deletes it. */
  readonly removal?: "delete" | undefined;
  /** Information that needs no review before the merge. */
  readonly notices: readonly Problem[];
  /** The numbers of affected objects. Undefined if unknown. */
  readonly counts?: Counts | undefined;
  readonly rows: readonly Row[];
  readonly parameters: readonly ChangedArguments[];
  /** The rollback of the plan; missing if it isn't known or returns to no release. */
  readonly rollback?: RollbackPreview | undefined;
  /** Set if the deployment was checked against another version of Kubernetes. */
  readonly againstVersion?: VersionCheck | undefined;
  /** The forecasts of the rollouts that replace Pods; missing if there are none. */
  readonly forecasts?: readonly NamedForecast[] | undefined;
  /** The modules with another revision in the pull request. */
  readonly modules: readonly ChangedModule[];
  /** The sources with another entry in the lockfile; missing if there are none. */
  readonly sources?: readonly ChangedSource[] | undefined;
  /** The written objects, then the deleted ones, each in their order. */
  readonly order: readonly OrderedObject[];
  /** The checks that run with the changes; missing if there are none. */
  readonly checks?: readonly OrderedCheck[] | undefined;
  /** The digest that an approval refers to. Undefined without a plan, or if the plan is blocked. */
  readonly digest?: string | undefined;
  /**
   * The codes of the plan's operations. They show how another plan differs from the approved one.
   */
  readonly operations?: readonly string[] | undefined;
}

export interface ReviewedOrigin {
  /** The revision of the current release, and its commit. */
  readonly release?: number | undefined;
  readonly commit?: string | undefined;
  /** True if two commits are compared, as in a pull request. */
  readonly isPullRequest: boolean;
}

export interface ReviewedProblem extends Problem {
  /** The autoscaler of the same deployment that causes the error. */
  readonly autoscaler?: ReviewedAutoscaler | undefined;
}

export interface ReviewedFinding extends Omit<Finding, "upgrade"> {
  /** True if the finding existed before the pull request. */
  readonly isOlder: boolean;
}

export interface OrderedObject {
  readonly key: string;
  readonly name: string;
  readonly stage: string;
  readonly action: (typeof orderedActions)[number];
  /** The objects in the same list that it waits for. */
  readonly after: readonly Edge[];
}

/** A check in the order of the changes. */
export interface OrderedCheck {
  readonly key: string;
  readonly name: string;
  /** Undefined if the check runs after all objects, before the deletions. */
  readonly gate?: OrderedGate | undefined;
}

/** The place of a check that objects wait for. */
interface OrderedGate {
  /** The earliest stage of the objects that wait for the check. */
  readonly stage: string;
  /** The objects of the order that the check needs. */
  readonly after: readonly Edge[];
  /** The keys of the objects of the order that wait for the check. */
  readonly before: readonly string[];
}

export const orderedActions = ["create", "update", "replace", "delete"] as const;
