import type { Problem } from "../../model/problems/problem.ts";

/** Returns a reason of other modules with a capital letter, for a text of several sentences. */
export function capitalize(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
}

/** Returns the cause and the facts of a notice as one text, because a finding has no facts. */
export function noticeReason({ why, facts = [] }: Pick<Problem, "why" | "facts">): string {
  const values = facts.map(({ label, value }) =>
    label === "answer" ? `The API server answered: ${value}` : `${label}: ${value}`,
  );
  return [...(why === undefined ? [] : [why]), ...values].join(". ");
}
