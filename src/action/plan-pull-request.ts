import { upgradeTarget } from "../io/builtin-kinds/read.ts";
import { type Annotations, annotateAll, shownProblems } from "../io/github/annotations.ts";
import { longestCheckSummary } from "../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writePage, writePlanFile } from "../io/github/report-files.ts";
import { writeOutputs, writeSummary } from "../io/github/step-outputs.ts";
import { defaultRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { FailOn } from "../model/problems/fail-on.ts";
import { isOpen } from "../model/problems/finding.ts";
import type { AnnotatedProblem } from "../model/problems/problem.ts";
import { describeAllForGitHub } from "../model/problems/problem-text.ts";
import { replacedSourceProblems } from "../report/changed-sources.ts";
import type { DeploymentReport, NotCompared } from "../report/comment/comment-input.ts";
import { commentTitle, renderComment, renderSummary } from "../report/comment/render-comment.ts";
import { renderPage } from "../report/page/render-page.ts";
import { planFacts, renderPlanText } from "../report/plans/plan-text.ts";
import { failingFindings, isPreviewFailing } from "../report/preview-failure.ts";
import { combineReviews, reviewDeployment } from "../report/review/build-review.ts";
import { noCredentials } from "../report/review/read-review.ts";
import type { DeploymentReview, Review } from "../report/review/review.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import { selectApprovedPlans } from "./approvals/found-approvals.ts";
import { writeComment } from "./comments/sync-comment.ts";
import { writeLabels } from "./comments/write-labels.ts";
import { type ActionContext, hasCluster, readRepositoryUrl } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { oneLevel, writeListOutputs } from "./list-changed.ts";
import { previewNotifications } from "./notifications/create-notifications.ts";
import { sendNotifications } from "./notifications/send-notifications.ts";
import {
  type LinesShown,
  linesInPullRequest,
  sortVisiblePlacesFirst,
} from "./pull-requests/open-base.ts";
import {
  type PullRequestOptions,
  type PullRequestPreview,
  previewPullRequest,
} from "./pull-requests/preview-pull-request.ts";
import { previewOutputs } from "./reports/count-outputs.ts";
import { writeCheck } from "./reports/write-check.ts";

/**
 * Previews the changes of a merge as a summary, outputs and, for one pull request, a comment.
 * The step fails if the plan can't be deployed, which removes the pull request from a merge queue.
 */
export async function planPullRequest(
  event: PullRequestEvent | MergeGroupEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world, env, runUrl } = context;
  const { baseSha: base, headSha } = event;
  const { approvedPlan } = inputs;
  const { policy, adopt, limits } = inputs.request;
  const found =
    event.type === "merge_group" && approvedPlan !== "off"
      ? await findApprovals(event, inputs, context)
      : undefined;
  const options: PullRequestOptions = {
    base,
    headSha,
    inline: inputs.inline,
    request: { ...defaultRequest, policy, adopt },
    timeoutMs: limits.timeoutMs,
    against: upgradeTarget(inputs.againstVersion),
    withoutCluster: withoutCluster(event, inputs, context),
    approvedOf:
      found &&
      ((name) => selectApprovedPlans(found, name, approvedPlan === "require" ? "require" : "warn")),
    choose: inputs.choose,
    adjusted: inputs.adjusted,
    pullRequest: event.type === "pull_request" ? event.number : undefined,
    runUrl,
    repositoryUrl: readRepositoryUrl(env),
    previewArtifact: inputs.previewArtifact,
  };
  const previews = await previewPullRequest(world, options, (report, now) =>
    describePreview(report, inputs.failOn, now),
  );
  const { deployments, previewProblems } = previews;
  const failed = previewProblems !== undefined || deployments.some((each) => each.failed);
  const reviews = deployments.map((each) => each.review);
  const review = { ...combineReviews(previews, reviews), failed };
  if (inputs.summary) writeSummary(renderSummary(review), context);
  writeOutputs(
    {
      "plan-path": writePlanFile(review, context),
      "preview-html": writePage(
        renderPage(review, { hash: world.hash }),
        inputs.previewArtifact,
        context,
      ),
    },
    context,
  );
  for (const { log } of deployments) logLines(log);
  if (previewProblems === undefined) {
    const previewed = deployments.map(({ deployment }) => deployment);
    writeListOutputs(oneLevel(previewed), context, "place");
  } else logLines(describeAllForGitHub(previewProblems));
  writeOutputs(previewOutputs(review), context);
  await annotatePreviews(previews, linesInPullRequest(world, { base, headSha }));
  if (failed) process.exitCode = 1;
  const notifications = () => previewNotifications({ ...review, previews: deployments });
  await Promise.all([
    sendNotifications(notifications, inputs, context),
    showOnGitHub(event, { ...review, failed }, inputs, context),
  ]);
}

/** Writes the check run, the comment and the labels. */
async function showOnGitHub(
  event: PullRequestEvent | MergeGroupEvent,
  review: Review & { readonly failed: boolean },
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const computeVerdict = () => ({
    title: commentTitle(review),
    summary: renderComment(review, longestCheckSummary),
    failed: review.failed,
  });
  await writeCheck(event, computeVerdict, inputs, context);
  if (event.type !== "pull_request") return;
  await writeComment(event, review, inputs, context);
  await writeLabels(event, previewOutputs(review), inputs, context);
}

function withoutCluster(
  event: PullRequestEvent | MergeGroupEvent,
  inputs: Inputs,
  context: ActionContext,
): NotCompared | undefined {
  if (event.type === "pull_request" && event.fromFork)
    return { because: noCredentials, isFork: true };
  return hasCluster(context, inputs) ? undefined : { because: "no kubeconfig is set" };
}

/** Annotates the lines of the previews' problems and findings. */
async function annotatePreviews(
  { previewProblems = [], deployments }: PullRequestPreview<PreviewOutput>,
  linesShown: LinesShown,
): Promise<void> {
  const ofLevel = (level: "error" | "warning" | "notice") =>
    deployments.map(({ deployment, annotations }) => ({
      title: `QVS: ${deployment.name}`,
      problems: annotations[level],
    }));
  const whole = { title: "QVS", problems: previewProblems };
  annotateAll(await sortVisibleFirst([whole, ...ofLevel("error")], linesShown), "error");
  annotateAll(await sortVisibleFirst(ofLevel("warning"), linesShown), "warning");
  annotateAll(ofLevel("notice"), "notice");
}

/** Sorts the places of the problems that GitHub shows. Each place needs a call of git. */
async function sortVisibleFirst(
  groups: readonly Annotations[],
  linesShown: LinesShown,
): Promise<readonly Annotations[]> {
  const shown = shownProblems(groups);
  const sorted = await sortVisiblePlacesFirst(shown, linesShown);
  const replacements = new Map(shown.map((problem, index) => [problem, sorted[index]]));
  return groups
    .filter(({ problems }) => problems.length > 0)
    .map(({ title, problems }) => ({
      title,
      problems: problems.map((problem) => replacements.get(problem) ?? problem),
    }));
}

/** Everything that the Action shows of one preview. Unlike the report, it has no plan. */
interface PreviewOutput {
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
