import type { Annotated, Position } from "../../model/problems/problem.ts";
import type { LineRange } from "../../ports/git.ts";

/** The lines of a file that the pull request's files view shows. */
export type LinesShown = (path: string) => Promise<readonly LineRange[]>;

/**
 * The same problems, each with the places first that the pull request shows: GitHub puts an annotation beside a line that is shown, and
 * any other where few people look. One that has no such place stays as it is, since another line would be the wrong one.
 */
export async function placesInDiffFirst<T extends Annotated>(
  problems: readonly T[],
  linesShown: LinesShown,
): Promise<readonly T[]> {
  const open = problems.filter(({ where }) => where.length > 1);
  const paths = [...new Set(open.flatMap(({ where }) => where.map(({ file }) => file)))];
  const asked = paths.slice(0, mostPaths);
  const shown = new Map(
    await Promise.all(asked.map(async (path) => [path, await linesShown(path)] as const)),
  );
  const isShown = ({ file, line }: Position) =>
    (shown.get(file) ?? []).some(({ first, last }) => first <= line && line <= last);
  return problems.map((problem) => ({
    ...problem,
    where: problem.where.toSorted((a, b) => Number(isShown(b)) - Number(isShown(a))),
  }));
}

/** Each is a call of git, and GitHub shows ten annotations. */
const mostPaths = 50;
