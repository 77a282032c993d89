import { error, notice, setFailed, warning } from "@actions/core";
import { type Annotated, curesOf } from "../../model/problems/problem.ts";
import { annotationMessage, annotationProperty } from "../../redaction/for-programs.ts";
import type { AnnotationText } from "../../redaction/shown.ts";

/** GitHub shows this many of each level for one step, and drops the rest without a word. */
const maxPerLevel = 10;
interface Properties {
  readonly title: AnnotationText;
  readonly file?: AnnotationText;
  readonly startLine?: number;
  readonly startColumn?: number;
}

type Annotate = (message: AnnotationText, properties: Properties) => void;

const levels: Readonly<Record<"error" | "warning" | "notice", Annotate>> = {
  error,
  warning,
  notice,
};

const fail: (message: AnnotationText) => void = setFailed;

/** Problems beside the lines they are about, in the pull request's files. */
export function annotate(
  problems: readonly Annotated[],
  level: keyof typeof levels,
  titleText: string,
): void {
  const title = annotationProperty(titleText);
  const fits = problems.length <= maxPerLevel;
  const shown = fits ? problems : problems.slice(0, maxPerLevel - 1);
  for (const problem of shown) levels[level](messageOf(problem), propertiesOf(problem, title));
  if (!fits) {
    const missing = problems.length - shown.length;
    const rest = `${missing} more like this are in the run's summary.`;
    levels[level](annotationMessage(rest), { title });
  }
}

/** Fails the step for what is not the user's fault. */
export function failStep(what: string): void {
  fail(annotationMessage(what));
}

function messageOf(problem: Annotated): AnnotationText {
  const cures = curesOf(problem).join("\n");
  return annotationMessage(problem.what, cures === "" ? "" : `→ ${cures}`);
}

/** A place in a fetched module (`module@revision/path`) or in an input (`--param NAME`) is no file of this repository. */
function propertiesOf({ where }: Annotated, title: AnnotationText): Properties {
  const place = where.find(({ file }) => !file.includes("@") && !file.startsWith("--"));
  if (place === undefined) return { title };
  const file = annotationProperty(place.file);
  return { title, file, startLine: place.line, startColumn: place.column };
}
