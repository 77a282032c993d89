import { closest } from "../text/closest.ts";
import type { Fixes } from "./problem.ts";

/** Returns these actions as fixes. The name that the user probably meant comes first. */
export function suggest(
  meant: string | undefined,
  action: string,
  ...others: readonly string[]
): Fixes {
  if (meant !== undefined) {
    return { fix: `Did you mean "${meant}"?`, otherwise: [inLowerCase(action), ...others] };
  }
  return others.length === 0 ? { fix: action } : { fix: action, otherwise: others };
}

/** Returns the fixes for a misspelled word: the similar candidate first, then the action. */
export function suggestClosest(word: string, candidates: Iterable<string>, action: string): Fixes {
  const meant = closest(word, candidates);
  return suggest(meant === word ? undefined : meant, action);
}

function inLowerCase(action: string): string {
  return action.charAt(0).toLowerCase() + action.slice(1);
}
