import { isOpen } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { DeploymentReview, ReviewedFinding, ReviewedProblem } from "../review/review.ts";
import type { ShowPlace } from "./places.ts";
import type { RepeatedDiffs } from "./repeated-diffs.ts";

/** How a comment is written, whatever it is about. */
export interface Look {
  readonly show: ShowPlace;
  /** ISO 8601. */
  readonly now: string | undefined;
  /** Whether there is room for all that is to be said of problems. */
  readonly isShort: boolean;
  /** Whether it is the only deployment, whose target is in the footer. */
  readonly isAlone: boolean;
  /** Whether merging a pull request deploys what is shown. */
  readonly isPullRequest: boolean;
}

/** A deployment among the others of its preview. */
export interface DeploymentSection extends DeploymentReview {
  /** Those that would fail and that it waits for, so that it is not attempted. */
  readonly heldBackBy?: readonly string[];
  /** Those that are not attempted if it fails. */
  readonly holdsBack?: readonly string[];
  /** Whether there are others, and none of them waits for another. */
  readonly othersGoOn?: boolean;
  /** What the sections above show already. */
  readonly repeated?: RepeatedDiffs;
}

export function isHeldBack({ heldBackBy = [] }: DeploymentSection): boolean {
  return heldBackBy.length > 0;
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

/** What may refuse the deployment when it is merged, although it does not yet refuse the preview. */
export function holdsOf({ notices }: DeploymentReview): readonly Problem[] {
  return notices.filter(({ code }) => code === "deployments-frozen");
}

/** How much there is that stops nothing but has to be known before merging. */
export function concernsOf(section: DeploymentReview): number {
  const findings = errorsOf(section).length + warningsOf(section).length;
  return findings + section.orphanWarnings.length + holdsOf(section).length;
}
