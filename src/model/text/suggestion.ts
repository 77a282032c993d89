import type { Problem } from "../problems/problem.ts";
import { closest } from "./closest.ts";

/**
 * Returns the fixes for a misspelled word: first `Did you mean "x"?`, then the given fix. Without a
 * similar candidate, returns the given fix only.
 */
export function suggesting(
  word: string,
  candidates: Iterable<string>,
  fix: string,
): Pick<Problem, "fix" | "otherwise"> {
  const meant = closest(word, candidates);
  if (meant === undefined || meant === word) return { fix };
  const other = `${fix.charAt(0).toLowerCase()}${fix.slice(1)}`;
  return { fix: `Did you mean "${meant}"?`, otherwise: [other] };
}
