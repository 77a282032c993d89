import type { PlanText } from "../../io/github/report-files.ts";
import { UserError } from "../../model/problems/errors.ts";
import { resultProblems } from "../../model/problems/problem.ts";
import type { ReviewFile } from "../../report/review/merge-reviews.ts";
import { readReview } from "../../report/review/read-review.ts";

/** Reads the plan files. Throws the errors of all unreadable files together. */
export function readReviews(texts: readonly PlanText[]): readonly ReviewFile[] {
  const read = texts.map(({ file, text }) => ({ file, result: readReview(text, file) }));
  const problems = read.flatMap(({ result }) => resultProblems(result));
  if (problems.length > 0) throw new UserError(problems);
  return read.flatMap(({ file, result }) => (result.ok ? [{ file, review: result.value }] : []));
}
