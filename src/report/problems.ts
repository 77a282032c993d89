import type { Position, Problem } from "../model/problem.ts";
import { code, escapeText, md } from "../redaction/markdown.ts";
import { listItem } from "../redaction/own-markdown.ts";
import { joined, type Markdown } from "../redaction/shown.ts";
import type { ShowPlace } from "./comment/places.ts";

/** A Markdown list: what, where, the code that docs/reference/problems.md explains, and what to do under it. */
export function renderProblems(problems: readonly Problem[], show: ShowPlace): Markdown {
  return joined(
    problems.map((problem) => listItem(renderProblem(problem, show))),
    "\n",
  );
}

export function renderProblem(problem: Problem, show: ShowPlace): Markdown {
  const what = escapeText(problem.what);
  const head = md`**${what}**${placesIn(problem.where, show)} ${code(problem.code)}`;
  return problem.fix === "" ? head : md`${head}<br>→ ${escapeText(problem.fix)}`;
}

/** ` (a.cue:1:2 and b.cue:3:4)`, or nothing. */
export function placesIn(where: readonly Position[], show: ShowPlace): Markdown {
  const places = where.map((position) => show(position, code(placeOf(position))));
  return places.length === 0 ? md`` : md` (${joined(places, " and ")})`;
}

export function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
