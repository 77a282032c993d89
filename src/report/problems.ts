import type { Position, Problem } from "../model/problem.ts";
import { code, escapeText } from "./markdown.ts";

/** A problem in the form that GitHub shows beside the line of a pull request's file. */
export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly message: string;
  readonly title: string;
  /** undefined for a problem without a place in the repository. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** A Markdown list: where, what, and the cure under it. */
export function renderProblems(problems: readonly Problem[]): string {
  return problems.map(renderProblem).join("\n");
}

/** One annotation a problem, at its first place. A place in a fetched module is no file of the repository. */
export function annotationsOf(
  problems: readonly Problem[],
  level: Annotation["level"],
  title: string,
): readonly Annotation[] {
  return problems.map((problem) => {
    const place = problem.where.find((position) => !position.file.includes("@"));
    return {
      level,
      title,
      message: `${problem.what}\n${problem.fix}`,
      file: place?.file,
      line: place?.line,
      column: place?.column,
    };
  });
}

function renderProblem(problem: Problem): string {
  const places = problem.where.map((position) => code(placeOf(position))).join(" and ");
  const what = escapeText(problem.what);
  const head = places === "" ? `- **${what}**` : `- **${what}** (${places})`;
  return problem.fix === "" ? head : `${head}<br>→ ${escapeText(problem.fix)}`;
}

function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
