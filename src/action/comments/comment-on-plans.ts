import { longestCheckSummary } from "../../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { type PlanText, readPlanFiles, writePage } from "../../io/github/report-files.ts";
import { writeOutputs, writeSummary } from "../../io/github/step-outputs.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { resultProblems } from "../../model/problems/problem.ts";
import { describeAllForGitHub } from "../../model/problems/problem-text.ts";
import { commentTitle, renderComment, renderSummary } from "../../report/comment/render-comment.ts";
import { renderPage } from "../../report/page/render-page.ts";
import { mergeReviews, type ReviewFile } from "../../report/review/merge-reviews.ts";
import { readReview } from "../../report/review/read-review.ts";
import type { Review } from "../../report/review/review.ts";
import { sha256 } from "../../world/sha256.ts";
import { type RunContext, readRepositoryUrl } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { previewOutputs } from "../reports/count-outputs.ts";
import { writeCheck } from "../reports/write-check.ts";
import { writeComment } from "./sync-comment.ts";
import { writeLabels } from "./write-labels.ts";

/**
 * Merges the plans of this run's jobs into one comment, summary, page and set of counts. For a
 * merge queue, it writes no comment.
 */
export async function commentOnPlans(
  event: PullRequestEvent | MergeGroupEvent,
  inputs: Inputs,
  context: RunContext,
): Promise<void> {
  if (inputs.plans === "") throw noFolder();
  const { env, runUrl } = context;
  const files = readReviews(readPlanFiles(inputs.plans));
  const merged = mergeReviews(files, {
    headCommit: event.headSha,
    pullRequest: event.type === "pull_request" ? event.number : undefined,
    runUrl,
    repositoryUrl: readRepositoryUrl(env),
    previewArtifact: inputs.previewArtifact,
    expected: inputs.names,
  });
  if (!merged.ok) throw new UserError(merged.problems);
  const review = merged.value;
  showReview(review, inputs, context);
  const outputs = previewOutputs(review);
  writeOutputs(outputs, context);
  const { failed = false } = review;
  const summary = () => renderComment(review, longestCheckSummary);
  const computeVerdict = () => ({ title: commentTitle(review), summary: summary(), failed });
  if (failed) process.exitCode = 1;
  await writeCheck(event, computeVerdict, inputs, context);
  if (event.type !== "pull_request") return;
  await writeComment(event, review, inputs, context);
  await writeLabels(event, outputs, inputs, context);
}

/** Writes the summary and the page of the run. */
export function showReview(review: Review, inputs: Inputs, context: RunContext): void {
  if (inputs.summary) writeSummary(renderSummary(review), context);
  const page = renderPage(review, { hash: sha256 });
  writeOutputs({ "preview-html": writePage(page, inputs.previewArtifact, context) }, context);
  logLines(describeAllForGitHub(review.previewProblems ?? []));
}

function noFolder() {
  return userError(
    "invalid-input",
    "Mode comment needs the input plans",
    "Set the input plans to the directory with the downloaded plan artifacts of this run",
  );
}

/** Reads the plan files. Throws the errors of all unreadable files together. */
export function readReviews(texts: readonly PlanText[]): readonly ReviewFile[] {
  const read = texts.map(({ file, text }) => ({ file, result: readReview(text, file) }));
  const problems = read.flatMap(({ result }) => resultProblems(result));
  if (problems.length > 0) throw new UserError(problems);
  return read.flatMap(({ file, result }) => (result.ok ? [{ file, review: result.value }] : []));
}
