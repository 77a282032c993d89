import type { AnnotatedProblem, Position } from "../../model/problems/problem.ts";
import type { LineRange } from "../../ports/git.ts";

/** Returns the lines of a file that the pull request's files view shows. */
export type LinesShown = (path: string) => Promise<readonly LineRange[]>;

/**
 * Moves the places that the pull request shows to the front of each problem.
 * GitHub shows an annotation next to a visible line, and any other annotation where few people
 * look. A problem without a visible place stays unchanged.
 */
export async function sortVisiblePlacesFirst<T extends AnnotatedProblem>(
  problems: readonly T[],
  linesShown: LinesShown,
): Promise<readonly T[]> {
  const open = problems.filter(({ where }) => where.length > 1);
  const paths = [...new Set(open.flatMap(({ where }) => where.map(({ file }) => file)))];
  const checked = paths.slice(0, maxPaths);
  const shown = new Map(
    await Promise.all(checked.map(async (path) => [path, await linesShown(path)] as const)),
  );
  const isShown = ({ file, line }: Position) =>
    (shown.get(file) ?? []).some(({ first, last }) => first <= line && line <= last);
  return problems.map((problem) => ({
    ...problem,
    where: problem.where.toSorted((a, b) => Number(isShown(b)) - Number(isShown(a))),
  }));
}

/** The most files to look up. Each needs a call of git, and GitHub shows only ten annotations. */
const maxPaths = 50;
