import type { Position, Problem } from "../model/problem.ts";
import { code, escapeText, md } from "../redaction/markdown.ts";
import { joined, type Markdown } from "../redaction/shown.ts";

/** A Markdown list: what, where, the code that docs/problems.md explains, and what to do under it. */
export function renderProblems(problems: readonly Problem[]): Markdown {
  return joined(problems.map(renderProblem), "\n");
}

function renderProblem(problem: Problem): Markdown {
  const places = joined(
    problem.where.map((position) => code(placeOf(position))),
    " and ",
  );
  const what = escapeText(problem.what);
  const place = places === "" ? md`` : md` (${places})`;
  const head = md`- **${what}**${place} ${code(problem.code)}`;
  return problem.fix === "" ? head : md`${head}<br>→ ${escapeText(problem.fix)}`;
}

export function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
