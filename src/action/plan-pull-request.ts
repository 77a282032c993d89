import { type Annotations, annotateAll, shownProblems } from "../io/github/annotations.ts";
import { longestCheckSummary } from "../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writePage } from "../io/github/page.ts";
import { writePlanFile } from "../io/github/plan-file.ts";
import { writeOutputs, writeSummary } from "../io/github/step-outputs.ts";
import { defaultRequest } from "../model/deploy-request.ts";
import type { FailOn } from "../model/problems/fail-on.ts";
import { isOpen } from "../model/problems/finding.ts";
import { describeAllForGitHub } from "../model/problems/problem-text.ts";
import type { CommentInput, NotCompared } from "../report/comment/comment-input.ts";
import { commentTitle, renderComment, renderSummary } from "../report/comment/render-comment.ts";
import { renderPage } from "../report/page/render-page.ts";
import { planFacts, renderPlanText } from "../report/plans/plan-text.ts";
import { failingFindings, isPreviewFailing } from "../report/preview-failure.ts";
import { buildReview } from "../report/review/build-review.ts";
import { noCredentials } from "../report/review/untrusted-review.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import { selectApprovedPlans } from "./approvals/found-approvals.ts";
import { writeComment } from "./comments/sync-comment.ts";
import { type ActionContext, hasCluster, readRepositoryUrl } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { oneLevel, writeListOutputs } from "./list-changed.ts";
import { linesInPullRequest } from "./pull-requests/open-base.ts";
import { type LinesShown, sortVisiblePlacesFirst } from "./pull-requests/places-in-diff.ts";
import { previewPullRequest } from "./pull-requests/preview-pull-request.ts";
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
  const input = await previewPullRequest(world, {
    base,
    headSha,
    inline: inputs.inline,
    request: { ...defaultRequest, policy, adopt },
    timeoutMs: limits.timeoutMs,
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
  });
  const failed = isPreviewFailing(input, inputs.failOn);
  const review = { ...buildReview(input), failed };
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
  for (const [index, report] of input.deployments.entries()) {
    const { deployment, plan, findings } = report;
    const known = { ...planFacts(report, review.deployments[index]), now: input.now };
    const text =
      plan === undefined
        ? `${deployment.name}\nNo plan`
        : renderPlanText(plan, undefined, findings, known);
    const problems = describeAllForGitHub([...report.problems, ...report.blockers]);
    logLines(`${text}${problems === "" ? "" : `\n${problems}`}`);
  }
  if (input.previewProblems === undefined) {
    const previewed = input.deployments.map(({ deployment }) => deployment);
    writeListOutputs(oneLevel(previewed), context, "place");
  } else logLines(describeAllForGitHub(input.previewProblems));
  writeOutputs(previewOutputs(review), context);
  await annotatePreview(input, inputs.failOn, linesInPullRequest(world, { base, headSha }));
  if (failed) process.exitCode = 1;
  const computeVerdict = () => ({
    title: commentTitle(review),
    summary: renderComment(review, longestCheckSummary),
    failed,
  });
  await writeCheck(event, computeVerdict, inputs, context);
  if (event.type === "pull_request") await writeComment(event, review, inputs, context);
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

/**
 * Annotates the lines of the preview's findings.
 * A problem that blocks the deployment or fails the check is an error, whatever its severity. Any
 * other warning is a warning. In a merge queue, a difference from the approved plan that blocks
 * nothing is a notice.
 */
async function annotatePreview(
  { previewProblems = [], deployments }: CommentInput,
  failOn: readonly FailOn[],
  linesShown: LinesShown,
): Promise<void> {
  const about = deployments.map((report) => {
    const { problems, blockers, plan, findings = [] } = report;
    const failing = failingFindings(report, failOn);
    return {
      title: `QVS: ${report.deployment.name}`,
      error: [...problems, ...blockers, ...failing],
      warning: findings.filter(
        (each) => isOpen(each) && each.severity === "warning" && !failing.includes(each),
      ),
      notice: (plan?.notices ?? []).filter(({ code }) => approvalNotices.has(code)),
    };
  });
  const errors = about.map(({ title, error }) => ({ title, problems: error }));
  const whole = { title: "QVS", problems: previewProblems };
  annotateAll(await sortVisibleFirst([whole, ...errors], linesShown), "error");
  const warnings = about.map(({ title, warning }) => ({ title, problems: warning }));
  annotateAll(await sortVisibleFirst(warnings, linesShown), "warning");
  annotateAll(
    about.map(({ title, notice }) => ({ title, problems: notice })),
    "notice",
  );
}

const approvalNotices: ReadonlySet<string> = new Set([
  "plan-approved-in-part",
  "plan-changed",
  "plan-not-approved",
]);

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
