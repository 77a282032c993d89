import { annotate } from "../io/github/annotations.ts";
import { longestCheckSummary } from "../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs } from "../io/github/outputs.ts";
import { writePage } from "../io/github/page.ts";
import { writePlanFile } from "../io/github/plan-file.ts";
import { writeSummary } from "../io/github/summary.ts";
import { describeProblem } from "../model/problems/errors.ts";
import type { FailOn } from "../model/problems/fail-on.ts";
import { isOpen } from "../model/problems/finding.ts";
import { renderComment, renderSummary, titleOf } from "../report/comment/comment.ts";
import type { CommentInput } from "../report/comment/comment-input.ts";
import { failingFindings, isFailing } from "../report/fail-on.ts";
import { renderPage } from "../report/page/page.ts";
import { renderPlanText } from "../report/plans/plan-text.ts";
import { noCredentials } from "../report/review/foreign-review.ts";
import { reviewOf } from "../report/review/review-of.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import { approvedPlansOf } from "./approvals/found-approvals.ts";
import { writeComment } from "./comments/write-comment.ts";
import { type ActionContext, hasCluster, repositoryUrlIn } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { oneLevel, writeListOutputs } from "./list.ts";
import { linesShown } from "./pull-requests/base.ts";
import { type LinesShown, placesInDiffFirst } from "./pull-requests/places-in-diff.ts";
import { previewPullRequest } from "./pull-requests/preview.ts";
import { outputsOfPreviews } from "./reports/count-outputs.ts";
import { writeCheck } from "./reports/write-check.ts";

/**
 * What merging would change, as a summary, outputs and, of one pull request, a comment. Fails when it could not be deployed, which takes
 * it out of a merge queue.
 */
export async function planPullRequest(
  event: PullRequestEvent | MergeGroupEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world, env, runUrl } = context;
  const { baseSha: base, headSha } = event;
  const { approvedPlan } = inputs;
  const found =
    event.type === "merge_group" && approvedPlan !== "off"
      ? await findApprovals(event, inputs, context)
      : undefined;
  const input = await previewPullRequest(world, {
    base,
    headSha,
    inline: inputs.inline,
    policy: inputs.options.policy,
    adopt: inputs.options.adopt,
    timeoutMs: inputs.options.limits.timeoutMs,
    withoutCluster: withoutCluster(event, inputs, context),
    approvedOf:
      found &&
      ((name) => approvedPlansOf(found, name, approvedPlan === "require" ? "require" : "warn")),
    choose: inputs.choose,
    adjusted: inputs.adjusted,
    pullRequest: event.type === "pull_request" ? event.number : undefined,
    runUrl,
    repositoryUrl: repositoryUrlIn(env),
    previewArtifact: inputs.previewArtifact,
  });
  const failed = isFailing(input, inputs.failOn);
  const review = { ...reviewOf(input), failed };
  if (inputs.summary) writeSummary(renderSummary(review), env.GITHUB_STEP_SUMMARY);
  writeOutputs({
    "plan-path": writePlanFile(review, env),
    "preview-html": writePage(renderPage(review, { hash: world.hash }), env),
  });
  const previewed = input.deployments.map(({ deployment }) => deployment);
  writeListOutputs(oneLevel(previewed), "place");
  for (const report of input.deployments) {
    const { deployment, plan, findings } = report;
    const known = { ...report, config: deployment.config, now: input.now };
    const text = plan === undefined ? "no plan" : renderPlanText(plan, undefined, findings, known);
    logLines(`${deployment.name}\n${text}`);
  }
  if (input.previewProblems === undefined) writeOutputs(outputsOfPreviews(review.deployments));
  else logLines(input.previewProblems.map(describeProblem).join("\n\n"));
  const shown = (path: string) => linesShown(world, { base, headSha }, path);
  await annotateProblems(input, shown);
  await annotateFindings(input, inputs.failOn, shown);
  annotateApprovals(input);
  if (failed) process.exitCode = 1;
  const verdictOf = () => ({
    title: titleOf(review),
    summary: renderComment(review, longestCheckSummary),
    failed,
  });
  await writeCheck(event, verdictOf, inputs, context);
  if (event.type === "pull_request") await writeComment(event, review, inputs, context);
}

function withoutCluster(
  event: PullRequestEvent | MergeGroupEvent,
  inputs: Inputs,
  context: ActionContext,
): string | undefined {
  if (event.type === "pull_request" && event.fromFork) return noCredentials;
  return hasCluster(context, inputs) ? undefined : "no kubeconfig was given";
}

/** How the plans of a merge queue compare with the approved ones, where that stops nothing. */
function annotateApprovals({ deployments }: CommentInput): void {
  for (const { deployment, plan } of deployments) {
    const notices = (plan?.notices ?? []).filter(({ code }) => aboutApproval.has(code));
    annotate(notices, "notice", `QVS: ${deployment.name}`);
  }
}

const aboutApproval: ReadonlySet<string> = new Set([
  "plan-approved-in-part",
  "plan-changed",
  "plan-not-approved",
]);

async function annotateProblems(
  { previewProblems = [], deployments }: CommentInput,
  linesShown: LinesShown,
): Promise<void> {
  const found = [
    { title: "QVS", problems: previewProblems },
    ...deployments.map(({ deployment, problems, blockers }) => ({
      title: `QVS: ${deployment.name}`,
      problems: [...problems, ...blockers],
    })),
  ];
  for (const { title, problems } of found) {
    if (problems.length === 0) continue;
    annotate(await placesInDiffFirst(problems, linesShown), "error", title);
  }
}

/** What makes the check red is an error beside its line, whatever its severity; the rest has the level of its severity. */
async function annotateFindings(
  { deployments }: CommentInput,
  failOn: readonly FailOn[],
  linesShown: LinesShown,
): Promise<void> {
  for (const report of deployments) {
    const title = `QVS: ${report.deployment.name}`;
    const failing = failingFindings(report, failOn);
    const warnings = (report.findings ?? []).filter(
      (each) => isOpen(each) && each.severity === "warning" && !failing.includes(each),
    );
    annotate(await placesInDiffFirst(failing, linesShown), "error", title);
    annotate(await placesInDiffFirst(warnings, linesShown), "warning", title);
  }
}
