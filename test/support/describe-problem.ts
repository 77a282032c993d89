import type { Problem } from "../../src/model/problems/problem.ts";
import { formatPosition, listFixes } from "../../src/model/problems/problem-text.ts";

/**
 * Returns an error in the short form of expectations: its places, the fact, and the fixes after an
 * arrow.
 */
export function describeProblem(problem: Problem): string {
  const [first, ...others] = problem.where.map(formatPosition);
  const facts = (problem.facts ?? []).map(({ label, value }) => `  ${label}: ${value}`);
  return [
    first === undefined ? problem.what : `${first}: ${problem.what}`,
    ...others.map((other) => `  and ${other}`),
    ...facts,
    ...(problem.why === undefined ? [] : [`  why: ${problem.why}`]),
    `  → ${listFixes(problem).join("\n    ")}`,
  ].join("\n");
}
