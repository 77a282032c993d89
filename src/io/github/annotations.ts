import { error, notice, setFailed, warning } from "@actions/core";
import type { AnnotatedProblem } from "../../model/problems/problem.ts";
import { inputLines, listFixes } from "../../model/problems/problem-text.ts";
import { annotationMessage, annotationProperty } from "../../redaction/program-output.ts";
import type { AnnotationText } from "../../redaction/shown.ts";

/**
 * The maximum number of annotations per level and step. GitHub drops all others without a message.
 */
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

/** Problems with a common title. */
export interface Annotations {
  readonly title: string;
  readonly problems: readonly AnnotatedProblem[];
}

/** Annotates the lines of the problems in the pull request's files. */
export function annotate(
  problems: readonly AnnotatedProblem[],
  level: keyof typeof levels,
  title: string,
): void {
  annotateAll([{ title, problems }], level);
}

/**
 * Writes all annotations of a step for one level, as many as GitHub shows. The first problem of
 * each group precedes the second of each.
 */
export function annotateAll(groups: readonly Annotations[], level: keyof typeof levels): void {
  const { shown, omitted } = chooseShown(groups);
  for (const { title, problem } of shown)
    levels[level](
      annotationText(problem),
      annotationProperties(problem, annotationProperty(title)),
    );
  if (omitted > 0) {
    const [title = ""] = groups.length === 1 ? groups.map((group) => group.title) : ["QVS"];
    const rest = `The log of this step shows ${omitted} more.`;
    levels[level](annotationMessage(rest), { title: annotationProperty(title) });
  }
}

/** Returns the problems that `annotateAll` annotates. The others need no work. */
export function shownProblems(groups: readonly Annotations[]): readonly AnnotatedProblem[] {
  return chooseShown(groups).shown.map(({ problem }) => problem);
}

function chooseShown(groups: readonly Annotations[]) {
  const all = interleave(groups);
  const shown = all.length <= maxPerLevel ? all : all.slice(0, maxPerLevel - 1);
  return { shown, omitted: all.length - shown.length };
}

function interleave(groups: readonly Annotations[]) {
  return groups
    .flatMap(({ title, problems }) => problems.map((problem, turn) => ({ title, problem, turn })))
    .toSorted((a, b) => a.turn - b.turn);
}

/** Fails the step for an error that the user didn't cause. */
export function failStep(what: string): void {
  fail(annotationMessage(what));
}

function annotationText(problem: AnnotatedProblem): AnnotationText {
  const why = problem.why === undefined || problem.why === "" ? [] : [`why: ${problem.why}`];
  const facts = (problem.facts ?? []).map(({ label, value }) => `${label}: ${value}`);
  const fixes = listFixes(problem)
    .filter((fix) => fix !== "")
    .map((fix) => `help: ${fix}`);
  const inputs = inputLines(problem).map((line) => line.trimStart());
  return annotationMessage(problem.what, [...facts, ...why, ...fixes, ...inputs].join("\n"));
}

/**
 * Returns the title and the place of an annotation. A place in a fetched module
 * (`module@revision/path`) or in an input (`--param NAME`) isn't a file of this repository.
 */
function annotationProperties({ where }: AnnotatedProblem, title: AnnotationText): Properties {
  const place = where.find(({ file }) => !file.includes("@") && !file.startsWith("--"));
  if (place === undefined) return { title };
  const file = annotationProperty(place.file);
  return { title, file, startLine: place.line, startColumn: place.column };
}
