import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Review } from "./review.ts";

/** One plan.json, with its name for messages. */
export interface ReviewFile {
  readonly file: string;
  readonly review: Review;
}

/** The facts that the merging job knows. Files can't override them. */
export interface MergeRequest
  extends Pick<
    Review,
    "headCommit" | "pullRequest" | "runUrl" | "repositoryUrl" | "previewArtifact"
  > {
  /**
   * The names of the deployments that must have a plan. If there are any, other plans belong to
   * another list in the same run.
   */
  readonly expected: readonly string[];
}

/**
 * Merges the reviews of several jobs for one commit, sorted by name. It reports missing
 * deployments.
 */
export function mergeReviews(
  all: readonly ReviewFile[],
  { expected, ...known }: MergeRequest,
): Result<Review> {
  const files =
    expected.length === 0 ? all : all.filter(({ review }) => isExpected(expected, review));
  const problems = [
    ...files.flatMap((each) => contradictions(each, known)),
    ...duplicatePlans(files),
  ];
  if (problems.length > 0) return failed(problems);
  const reviews = files.map(({ review }) => review);
  const deployments = reviews.flatMap((review) => review.deployments).toSorted(byName);
  const names = new Set(deployments.map(({ name }) => name));
  const problemsOfAll = [
    ...reviews.flatMap(({ previewProblems = [] }) => previewProblems),
    ...expected.filter((name) => !names.has(name)).map(missing),
  ];
  const now = reviews
    .flatMap((review) => review.now ?? [])
    .toSorted()
    .at(-1);
  const previewProblems = problemsOfAll.length === 0 ? undefined : problemsOfAll;
  const isFailing = problemsOfAll.length > 0 || reviews.some((each) => each.failed === true);
  return ok({ version: 1, ...known, deployments, previewProblems, failed: isFailing, now });
}

/**
 * Reports whether a review belongs to the expected ones.
 * A review without deployments also does, because only it has the reason for that.
 */
function isExpected(expected: readonly string[], { deployments }: Review): boolean {
  return deployments.length === 0 || deployments.some(({ name }) => expected.includes(name));
}

/** Returns an error for each value in a file that contradicts the known facts. */
function contradictions(
  { file, review }: ReviewFile,
  known: Omit<MergeRequest, "expected">,
): readonly Problem[] {
  const claims = [
    ["commit", shortCommit(review), shortCommit(known), review.headCommit === known.headCommit],
    ["pull request", review.pullRequest, known.pullRequest],
    ["repository", review.repositoryUrl, known.repositoryUrl],
  ] as const;
  return claims.flatMap(([what, claimed, actual, isSame = claimed === actual]) =>
    isSame
      ? []
      : [
          {
            ...refusal(
              `"${file}" is for another ${what}`,
              "Preview the newest commit. Its run writes the comment",
            ),
            facts: [
              { label: "expected", value: `${actual ?? "none"}` },
              { label: "found", value: `${claimed ?? "none"}` },
            ],
          },
        ],
  );
}

function shortCommit({ headCommit }: Pick<Review, "headCommit">): string | undefined {
  return headCommit.slice(0, 12) || undefined;
}

function duplicatePlans(files: readonly ReviewFile[]): readonly Problem[] {
  const all = files.flatMap(({ file, review }) =>
    review.deployments.map(({ name }) => ({ name, file })),
  );
  return [...Map.groupBy(all, ({ name }) => name)].flatMap(([name, found]) => {
    if (found.length === 1) return [];
    return [
      {
        ...refusal(
          `"${name}" has ${found.length} plans`,
          "Preview each deployment in only one job of the run",
        ),
        facts: found.map(({ file }) => ({ label: "file", value: file })),
      },
    ];
  });
}

function missing(name: string): Problem {
  const what = `"${name}" has no plan`;
  return { code: "plan-missing", where: [], what, fix: "Read the log of its job" };
}

function refusal(what: string, fix: string): Problem {
  return { code: "plan-file-rejected", where: [], what, fix };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
