import { RE2JS } from "re2js";

/**
 * The limits of a pattern, which costs its states for each character of a string.
 * One string takes at most some 10 ms.
 */
const maxSteps = 2_000_000;
const maxStates = 200_000;
const maxCached = 200;

const compiledPatterns = new Map<string, RE2JS | undefined>();

/**
 * Reports whether a string has a match, with RE2 as in the API server.
 * Undefined for an invalid pattern, and for a pattern that takes more than `limit` steps.
 */
export function matchesPattern(
  text: string,
  pattern: string,
  limit = maxSteps,
): boolean | undefined {
  const found = compileCached(pattern);
  if (found === undefined || found.programSize() * text.length > limit) return undefined;
  return found.matcher(text).find();
}

/** Reports whether a pattern is valid for RE2, and not too large. */
export function isPattern(pattern: string): boolean {
  return compileCached(pattern) !== undefined;
}

/** Compiles a pattern once, because many values are matched with the same pattern. */
function compileCached(pattern: string): RE2JS | undefined {
  if (compiledPatterns.has(pattern)) return compiledPatterns.get(pattern);
  if (compiledPatterns.size >= maxCached) compiledPatterns.clear();
  const made = compile(pattern);
  compiledPatterns.set(pattern, made);
  return made;
}

function compile(pattern: string): RE2JS | undefined {
  if (pattern.length * (1 + largestRepeat(pattern)) > maxStates) return undefined;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** Returns the largest repetition. RE2 expands `x{1000}` to a thousand `x`. */
function largestRepeat(pattern: string): number {
  const numbers = [...pattern.matchAll(/(?<!\d)\d+(?!\d)(?=,?\d*\})/g)].map(([digits]) =>
    Number(digits),
  );
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}
