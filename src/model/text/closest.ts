import { distance } from "fastest-levenshtein";

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
