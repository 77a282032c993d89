import { distance } from "fastest-levenshtein";
import type { Fixes } from "../problems/problem.ts";

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

/** Returns the candidate that the user probably meant; undefined if none is similar enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of [...candidates].sort()) {
    const found = distance(word.toLowerCase(), candidate.toLowerCase());
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** Returns at most `most` of the strings, and the number of the others: `a, b and 3 more`. */
export function summarizeList(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return `${texts.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
