import type { ObjectResult } from "../../model/release.ts";
import { describeCancellation } from "../cancellation.ts";
import type { ApplyResult, Failure } from "../result.ts";
import { describeEvidence } from "./describe-evidence.ts";

/**
 * For a person whose deployment failed: the cause, the evidence, what was and was not done, what to do, or how to go back.
 */
export function describeFailures(result: ApplyResult, waysBack: readonly string[] = []): string {
  if (result.succeeded) return "";
  return [
    ...causes(result),
    ...result.failures.flatMap(({ evidence, name }) =>
      evidence === undefined
        ? []
        : titled(`What the cluster says about ${name}`, describeEvidence(evidence)),
    ),
    ...titled("Where things are now", [...countsOf(result), ...result.stillServing]),
    ...titled("What to do", [...fixes(result), ...waysBack]),
  ].join("\n");
}

function causes(result: ApplyResult): readonly string[] {
  const failed = result.failures.map((f) => `${f.name}${originOf(f)} failed: ${f.what}`);
  return result.stopped === undefined
    ? failed
    : [...failed, `${sentence(describeCancellation(result.stopped))}`];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function originOf(failure: Failure): string {
  return failure.resource === undefined ? "" : ` (resource ${failure.resource})`;
}

/** `2 updated, 1 failed, 4 not attempted`, in the order in which things happen. */
function countsOf({ results }: ApplyResult): readonly string[] {
  const counts = outcomes.flatMap((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  return counts.length === 0 ? [] : [counts.join(", ")];
}

const outcomes = [
  "created",
  "updated",
  "replaced",
  "unchanged",
  "deleted",
  "kept",
  "failed",
  "not attempted",
] as const satisfies readonly ObjectResult["outcome"][];

function fixes(result: ApplyResult): readonly string[] {
  const fixes = result.failures.map((f) => `${f.name}: ${f.fix}`);
  return fixes.length > 0 ? fixes : ["Run again: it continues from what is in the cluster"];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}
