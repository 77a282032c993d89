import { isOpen } from "../../model/problems/finding.ts";
import type { DeploymentReview, ReviewedFinding, ReviewedProblem } from "../review/review.ts";
import type { ShowPlace } from "./places.ts";

/** How a comment is written, whatever it is about. */
export interface Look {
  readonly show: ShowPlace;
  /** ISO 8601. */
  readonly now: string | undefined;
  /** Whether there is room for all that is to be said of problems. */
  readonly isShort: boolean;
  /** Whether merging a pull request deploys what is shown. */
  readonly isPullRequest: boolean;
  /** Whether the heading of the comment tells the worst of it already. */
  readonly isAlone: boolean;
}

export function problemsOf({ problems, blockers }: DeploymentReview): readonly ReviewedProblem[] {
  return [...problems, ...blockers];
}

/** What is bound to go wrong although nothing refuses it. */
export function errorsOf({ findings }: DeploymentReview): readonly ReviewedFinding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "error");
}

export function warningsOf({ findings }: DeploymentReview): readonly ReviewedFinding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "warning");
}

/** How much there is that stops nothing but has to be known before merging. */
export function concernsOf(section: DeploymentReview): number {
  return errorsOf(section).length + warningsOf(section).length + section.orphanWarnings.length;
}
