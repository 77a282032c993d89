import type { Problem } from "../model/problems/problem.ts";

/** Returns the fact, the cause and the evidence of a problem on one line, without its fix. */
export function problemDetails({ what, why = "", facts = [] }: Problem): string {
  const evidence = facts.map(({ label, value }) => `${label}: ${value}`);
  return [what, ...(why === "" ? [] : [why]), ...evidence].join("; ");
}
