import { type AnnotationProperties, error, notice, warning } from "@actions/core";
import type { Problem } from "../../model/problem.ts";
import { neutralise } from "./log.ts";

/** GitHub shows this many of each level for one step, and drops the rest without a word. */
const maxPerLevel = 10;
/** GitHub's limit for one message, in characters. */
const maxMessage = 4096;

const levels = { error, warning, notice } as const;

/** Problems beside the lines they are about, in the pull request's files. */
export function annotate(
  problems: readonly Problem[],
  level: keyof typeof levels,
  title: string,
): void {
  const fits = problems.length <= maxPerLevel;
  const shown = fits ? problems : problems.slice(0, maxPerLevel - 1);
  for (const problem of shown) levels[level](messageOf(problem), propertiesOf(problem, title));
  if (!fits) {
    const missing = problems.length - shown.length;
    levels[level](`${missing} more like this are in the run's summary.`, { title });
  }
}

function messageOf({ what, fix }: Problem): string {
  return neutralise(fix === "" ? what : `${what}\n→ ${fix}`).slice(0, maxMessage);
}

/** A place in a fetched module (`module@revision/path`) is no file of this repository. */
function propertiesOf({ where }: Problem, title: string): AnnotationProperties {
  const place = where.find((position) => !position.file.includes("@"));
  if (place === undefined) return { title };
  return { title, file: place.file, startLine: place.line, startColumn: place.column };
}
