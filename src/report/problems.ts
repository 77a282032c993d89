import type { Position, Problem } from "../model/problem.ts";
import { code, escapeText } from "./markdown.ts";

/** A Markdown list: where, what, and the cure under it. */
export function renderProblems(problems: readonly Problem[]): string {
  return problems.map(renderProblem).join("\n");
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
