import { isOpen } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { replacedSourceNames } from "../changed-sources.ts";
import type { RepeatedDiffs } from "../diff/common-hunks.ts";
import type { DeploymentReview, ReviewedFinding, ReviewedProblem } from "../review/review.ts";
import type { ShowPlace } from "./place-links.ts";

/** The options for rendering a comment. */
export interface RenderOptions {
  readonly show: ShowPlace;
  /** The current time in ISO 8601. */
  readonly now: string | undefined;
  /** True if errors and findings must be shortened. */
  readonly isShort: boolean;
  /** True if the comment has only this deployment. Its target is then in the footer. */
  readonly isAlone: boolean;
  /** True if a merge deploys the preview. */
  readonly isPullRequest: boolean;
}

/** A deployment in the context of its preview. */
export interface DeploymentSection extends DeploymentReview {
  /** The failing deployments that this one waits for. qvs doesn't attempt it because of them. */
  readonly heldBackBy?: readonly string[];
  /** The deployments that qvs doesn't attempt if this one fails. */
  readonly holdsBack?: readonly string[];
  /** True if there are other deployments and none of them waits for another one. */
  readonly othersContinue?: boolean;
  /** The diffs that earlier sections already show. */
  readonly repeated?: RepeatedDiffs;
}

export function isHeldBack({ heldBackBy = [] }: DeploymentSection): boolean {
  return heldBackBy.length > 0;
}

export function sectionProblems({
  problems,
  blockers,
}: DeploymentReview): readonly ReviewedProblem[] {
  return [...problems, ...blockers];
}

/** Returns the findings that predict a failure although nothing blocks the plan. */
export function findingErrors({ findings }: DeploymentReview): readonly ReviewedFinding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "error");
}

export function findingWarnings({ findings }: DeploymentReview): readonly ReviewedFinding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "warning");
}

/**
 * Returns the freezes that might block the deployment after the merge. They don't block the
 * preview.
 */
export function freezeNotices({ notices }: DeploymentReview): readonly Problem[] {
  return notices.filter(({ code }) => code === "deployments-frozen");
}

/** Counts what doesn't block the deployment, but must be known before the merge. */
export function countConcerns(section: DeploymentReview): number {
  const findings = findingErrors(section).length + findingWarnings(section).length;
  const replaced = replacedSourceNames(section.sources).length;
  return findings + replaced + section.orphanWarnings.length + freezeNotices(section).length;
}
