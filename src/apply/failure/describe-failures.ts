import { type ProblemLine, problemLines } from "../../model/problems/problem-text.ts";
import { describeCancellation } from "../cancellation.ts";
import { type ApplyResult, type Failure, failureDetail, toProblem } from "../summarize-run.ts";
import { describeEvidence } from "./describe-evidence.ts";

/**
 * Describes a failed deployment to the user: errors with evidence, current state and ways back.
 */
export function describeFailures(
  result: ApplyResult,
  rollbackAdvice: readonly string[] = [],
): string {
  if (result.succeeded) return "";
  const { failures, stopped, stillServing } = result;
  const parts = [
    ...failures.map(failureLines),
    stopped === undefined ? [] : [capitalize(describeCancellation(stopped))],
    // The progress output has already reported the counts.
    titledLines("Current state", stillServing),
    titledLines("Next steps", [...(failures.length === 0 ? [rerunAdvice] : []), ...rollbackAdvice]),
  ];
  const shown = parts.filter((lines) => lines.length > 0);
  return shown.map((lines) => lines.join("\n")).join("\n\n");
}

const rerunAdvice = "Run again: the next run continues from the current state of the cluster";

/** Returns the lines of an error, with the evidence in front of the help. */
function failureLines(failure: Failure): readonly string[] {
  const { resource, evidence } = failure;
  const { facts = [], ...problem } = toProblem(failure);
  const origin = resource === undefined ? [] : [{ label: "resource", value: resource }];
  const lines = problemLines({ ...problem, facts: [...origin, ...facts] }, "error");
  const found = evidence === undefined ? [] : describeEvidence(evidence, failureDetail(failure));
  return [
    ...lines.filter((line) => !isHelp(line)).map(({ text }) => text),
    ...(found.length === 0 ? [] : ["  evidence:", ...found.map((line) => `    ${line}`)]),
    ...lines.filter(isHelp).map(({ text }) => text),
  ];
}

function isHelp({ part }: ProblemLine): boolean {
  return part === "help" || part === "paste";
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function titledLines(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}
