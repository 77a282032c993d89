import type { Deployment } from "../../model/deployment.ts";
import type { FailOn } from "../../model/problems/fail-on.ts";
import { isOpen } from "../../model/problems/finding.ts";
import type { AnnotatedProblem } from "../../model/problems/problem.ts";
import { describeAllForGitHub } from "../../model/problems/problem-text.ts";
import { replacedSourceProblems } from "../../report/changed-sources.ts";
import type { DeploymentReport } from "../../report/comment/comment-input.ts";
import { planFacts, renderPlanText } from "../../report/plans/plan-text.ts";
import { failingFindings, isPreviewFailing } from "../../report/preview-failure.ts";
import { reviewDeployment } from "../../report/review/build-review.ts";
import type { DeploymentReview } from "../../report/review/review.ts";

/** Everything that the Action shows of one preview. Unlike the report, it has no plan. */
export interface PreviewOutput {
  readonly deployment: Deployment;
  readonly review: DeploymentReview;
  /** The plan and the problems for the log of the run. */
  readonly log: string;
  readonly annotations: PreviewAnnotations;
  /** True if the preview fails its job. */
  readonly failed: boolean;
}

/** The annotated problems of a preview by level. */
type PreviewAnnotations = Readonly<
  Record<"error" | "warning" | "notice", readonly AnnotatedProblem[]>
>;

/** Describes a preview. `now` is the time of the run in ISO 8601. */
export function describePreview(
  report: DeploymentReport,
  failOn: readonly FailOn[],
  now: string,
): PreviewOutput {
  const review = reviewDeployment(report);
  return {
    deployment: report.deployment,
    review,
    log: logText(report, review, now),
    annotations: annotationsOf(report, failOn),
    failed: isPreviewFailing(report, failOn),
  };
}

function logText(report: DeploymentReport, review: DeploymentReview, now: string): string {
  const { deployment, plan, findings } = report;
  const known = { ...planFacts(report, review), now };
  const text =
    plan === undefined
      ? `${deployment.name}\nNo plan`
      : renderPlanText(plan, undefined, findings, known);
  const problems = describeAllForGitHub([...report.problems, ...report.blockers]);
  return `${text}${problems === "" ? "" : `\n${problems}`}`;
}

/**
 * Returns the annotations of a preview's findings.
 * A problem that blocks the deployment or fails the check is an error, whatever its severity. Any
 * other warning is a warning. In a merge queue, a difference from the approved plan that blocks
 * nothing is a notice.
 */
function annotationsOf(report: DeploymentReport, failOn: readonly FailOn[]): PreviewAnnotations {
  const { problems, blockers, plan, findings = [] } = report;
  const replaced = replacedSourceProblems(report.sources);
  const isFailing = failOn.includes("warning");
  const failing = failingFindings(report, failOn);
  return {
    error: [...problems, ...blockers, ...failing, ...(isFailing ? replaced : [])],
    warning: [
      ...findings.filter(
        (each) => isOpen(each) && each.severity === "warning" && !failing.includes(each),
      ),
      ...(isFailing ? [] : replaced),
    ],
    notice: (plan?.notices ?? []).filter(({ code }) => approvalNotices.has(code)),
  };
}

const approvalNotices: ReadonlySet<string> = new Set([
  "plan-approved-in-part",
  "plan-changed",
  "plan-not-approved",
]);
