import { describeCancellation } from "../cancellation.ts";
import type { ApplyResult, Failure } from "../result.ts";
import { describeEvidence } from "./describe-evidence.ts";

/**
 * Describes a failed deployment to the user: causes, evidence, current state, fixes and ways back.
 */
export function describeFailures(result: ApplyResult, waysBack: readonly string[] = []): string {
  if (result.succeeded) return "";
  return [
    ...causes(result),
    ...result.failures.flatMap(({ evidence, name, what }) =>
      evidence === undefined
        ? []
        : titled(`What the cluster says about ${name}`, describeEvidence(evidence, what)),
    ),
    // The progress output has already reported the counts.
    ...titled("Where things are now", result.stillServing),
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

function fixes(result: ApplyResult): readonly string[] {
  const fixes = result.failures.map((f) => `${f.name}: ${f.fix}`);
  return fixes.length > 0 ? fixes : ["Run again: it continues from what is in the cluster"];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}
