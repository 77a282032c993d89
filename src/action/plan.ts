import { annotate } from "../io/github/annotations.ts";
import { longestCheckSummary } from "../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs } from "../io/github/outputs.ts";
import { writePage } from "../io/github/page.ts";
import { openPullRequest } from "../io/github/pull-request.ts";
import { isMissingPermission } from "../io/github/refusal.ts";
import { writeSummary } from "../io/github/summary.ts";
import { describeProblem } from "../model/errors.ts";
import type { FailOn } from "../model/fail-on.ts";
import { isOpen } from "../model/finding.ts";
import { renderComment, renderSummary, titleOf } from "../report/comment/comment.ts";
import type { CommentInput } from "../report/comment/comment-input.ts";
import { failingFindings, failsOn } from "../report/fail-on.ts";
import { renderPage } from "../report/page/page.ts";
import { renderPlanText } from "../report/plan-text.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import { approvedPlansOf } from "./approvals/found-approvals.ts";
import { bestEffortGitHub } from "./best-effort-github.ts";
import { type ActionContext, clientFor, hasCluster } from "./context.ts";
import { outputsOfPreviews } from "./count-outputs.ts";
import type { Inputs } from "./inputs.ts";
import { withCommentKey } from "./keyed-comments.ts";
import { oneLevel, writeListOutputs } from "./list.ts";
import { type LinesShown, placesInDiffFirst } from "./places-in-diff.ts";
import { commentOn, linesShown, previewPullRequest } from "./pull-request.ts";
import { writeCheck } from "./write-check.ts";

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
    runUrl,
    repositoryUrl: repositoryUrlIn(env),
    previewArtifact: inputs.previewArtifact,
  });
  writeListOutputs(oneLevel(input.deployments.map(({ deployment }) => deployment)));
  if (inputs.summary) writeSummary(renderSummary(input), env.GITHUB_STEP_SUMMARY);
  writeOutputs({ "preview-html": writePage(renderPage(input, { hash: world.hash }), env) });
  for (const report of input.deployments) {
    const { deployment, plan, findings } = report;
    const known = { ...report, config: deployment.config, now: input.now };
    const text = plan === undefined ? "no plan" : renderPlanText(plan, undefined, findings, known);
    logLines(`${deployment.name}\n${text}`);
  }
  if (input.previewProblems === undefined) writeOutputs(outputsOfPreviews(input.deployments));
  else logLines(input.previewProblems.map(describeProblem).join("\n\n"));
  const shown = (path: string) => linesShown(world, { base, headSha }, path);
  await annotateProblems(input, shown);
  await annotateFindings(input, inputs.failOn, shown);
  annotateApprovals(input);
  const summary = renderComment(input, longestCheckSummary);
  const verdict = { title: titleOf(input), summary, failed: process.exitCode === 1 };
  await writeCheck(event, verdict, inputs, context);
  if (event.type === "pull_request") await writeComment(event, input, inputs, context);
}

/** Where people read the files of the pull request; undefined outside of GitHub. */
function repositoryUrlIn({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }: NodeJS.ProcessEnv) {
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return undefined;
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

function withoutCluster(
  event: PullRequestEvent | MergeGroupEvent,
  inputs: Inputs,
  context: ActionContext,
): string | undefined {
  if (event.type === "pull_request" && event.fromFork)
    return "pull requests from forks get no credentials";
  return hasCluster(context, inputs) ? undefined : "no kubeconfig was given";
}

/** A fork's token may not write comments, and its runs have no secrets. */
async function writeComment(
  { fromFork, number }: PullRequestEvent,
  input: CommentInput,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const client = fromFork ? undefined : clientFor(context, inputs);
  if (client === undefined || inputs.comment === "never") return;
  const when = inputs.comment;
  const write = async () => {
    const opened = openPullRequest(client, context.repository, number);
    const pullRequest = withCommentKey(opened, inputs.commentKey);
    writeOutputs({ "comment-url": await commentOn(pullRequest, input, when) });
  };
  await bestEffortGitHub("write the comment", () =>
    context.env.GITHUB_ACTOR === dependabot ? whereAllowed(write) : write(),
  );
}

const dependabot = "dependabot[bot]";

/** Dependabot's token may write only where the workflow gives it the permission, and every one of its pull requests would warn of that. */
async function whereAllowed(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isMissingPermission(error)) throw error;
    logLines("Dependabot's token may not write comments; the run's summary says the same.");
  }
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

/** Fails the step for each. */
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
    process.exitCode = 1;
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
    if (failsOn(report, failOn)) process.exitCode = 1;
  }
}
