import type { Problem } from "../../model/problems/problem.ts";

/** Returns the cause and the facts of a notice as one text, because a finding has no facts. */
export function noticeReason({ why, facts = [] }: Pick<Problem, "why" | "facts">): string {
  const values = facts.map(({ label, value }) =>
    label === "answer" ? `The API server answered: ${value}` : `${label}: ${value}`,
  );
  return [...(why === undefined ? [] : [why]), ...values].join(". ");
}
