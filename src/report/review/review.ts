import type { Edge } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Row } from "../rows/row.ts";
import type { GivenParameters } from "../trace/given-parameters.ts";
import type { Autoscaler } from "./autoscaler.ts";
import type { ChangedModule } from "./changed-modules.ts";
import type { Counts } from "./count-objects.ts";

/** Raised when a reader of the old form would misunderstand the new one. */
export const reviewVersion = 1;

/**
 * All that a comment, a summary and a page show of a preview, as plain data: nothing is read and nothing hidden any more when they are
 * written. It is what plan.json holds (docs/reference/plan.md), so it has neither live objects nor values of Secrets, and it is
 * the same after JSON.
 */
export interface Review {
  readonly version: typeof reviewVersion;
  /** Full commit id that was previewed. */
  readonly headCommit: string;
  /** Number of the pull request that was previewed. */
  readonly pullRequest?: number | undefined;
  readonly deployments: readonly DeploymentReview[];
  /** Why something can't be previewed at all: an unreadable deployments.yaml, a missing base commit. */
  readonly previewProblems?: readonly Problem[] | undefined;
  /** Whether the preview makes its job red: something can't be deployed, or is what `fail-on` names. */
  readonly failed?: boolean | undefined;
  /** The workflow run, for the footer; undefined outside GitHub. */
  readonly runUrl?: string | undefined;
  /** Where people read the repository; places are links then. */
  readonly repositoryUrl?: string | undefined;
  /** Name of the run's artifact with the whole preview as a page; undefined where there will be none. */
  readonly previewArtifact?: string | undefined;
  /** When it was made, ISO 8601. */
  readonly now?: string | undefined;
  /** Where it was read of a file that others may have written; no file says so itself. */
  readonly artifactOf?: ArtifactSource | undefined;
}

export interface ArtifactSource {
  /** `owner/name` of the repository whose code the run was of. */
  readonly repository: string;
  readonly isFork: boolean;
}

/** What is shown of one deployment. */
export interface DeploymentReview {
  readonly name: string;
  /** Path of its QVS config. */
  readonly config: string;
  readonly environment?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace: string;
  /** Revision of the release that now runs; undefined when unknown or never deployed. */
  readonly release?: number | undefined;
  /** The deployments that go first, directly or through others; if one of them fails, this one is not attempted. */
  readonly waitsFor?: readonly string[] | undefined;
  /** Completes "not compared with the cluster because …"; undefined where it was, and where there is nothing to compare. */
  readonly notComparedBecause?: string | undefined;
  /** Whether all that changes is the difference between two commits, since there is no plan. */
  readonly isOfCommits: boolean;
  /** Nothing of it is in the cluster, and no release has succeeded. */
  readonly isFirst: boolean;
  /** What the live objects were compared with to tell whose the changes are; undefined where nobody can tell. */
  readonly origin?: ReviewedOrigin | undefined;
  /** Why it does not compile. */
  readonly problems: readonly ReviewedProblem[];
  /** Why the plan would not be executed although it compiles. */
  readonly blockers: readonly ReviewedProblem[];
  /** What the cluster would do with the plan, the worst first. */
  readonly findings: readonly ReviewedFinding[];
  readonly orphanWarnings: readonly Problem[];
  /** Set where the pull request removes the deployment and merging deletes it. */
  readonly removal?: "delete" | undefined;
  /** What nobody has to read before merging. */
  readonly notices: readonly Problem[];
  /** How many objects are affected; undefined where that is not known. */
  readonly counts?: Counts | undefined;
  readonly rows: readonly Row[];
  readonly parameters: readonly GivenParameters[];
  /** Modules of adapters that the pull request takes from another revision. */
  readonly modules: readonly ChangedModule[];
  /** What is written and then what is deleted, each in that order. */
  readonly order: readonly OrderedObject[];
  /** What an approval refers to; undefined where there is no plan, or none that would be executed. */
  readonly digest?: string | undefined;
  /** Codes of what the plan does, by which an approval of it is compared with another plan. */
  readonly operations?: readonly string[] | undefined;
}

export interface ReviewedOrigin {
  /** Revision of the release that runs, and the commit that it has deployed. */
  readonly release?: number | undefined;
  readonly commit?: string | undefined;
  /** Whether two commits are compared, as in a pull request. */
  readonly isPullRequest: boolean;
}

export interface ReviewedProblem extends Problem {
  /** The autoscaler of the same deployment that the problem comes from. */
  readonly autoscaler?: Autoscaler | undefined;
}

export interface ReviewedFinding extends Finding {
  /** It was the same before the pull request. */
  readonly isOlder: boolean;
}

export interface OrderedObject {
  readonly key: string;
  readonly name: string;
  readonly stage: string;
  readonly action: (typeof orderedActions)[number];
  /** What it waits for, as far as that is in the same list. */
  readonly after: readonly Edge[];
}

export const orderedActions = ["create", "update", "replace", "delete"] as const;
