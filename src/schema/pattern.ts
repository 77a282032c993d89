import { RE2JS } from "re2js";

/** A pattern of a definition costs its states for each character of a text: some 10 ms at most for one text. */
const mostSteps = 2_000_000;
const mostStates = 200_000;
const mostKept = 200;

const compiled = new Map<string, RE2JS | undefined>();

/**
 * Whether a text has a match, by RE2 as in the API server; undefined for what is no pattern, and for patterns that take too long to be
 * judged here.
 */
export function matchesPattern(text: string, pattern: string): boolean | undefined {
  const found = compiledOnce(pattern);
  if (found === undefined || found.programSize() * text.length > mostSteps) return undefined;
  return found.matcher(text).find();
}

/** The same pattern is asked of many values. */
function compiledOnce(pattern: string): RE2JS | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  if (compiled.size >= mostKept) compiled.clear();
  const made = compile(pattern);
  compiled.set(pattern, made);
  return made;
}

function compile(pattern: string): RE2JS | undefined {
  if (pattern.length * (1 + largestRepeat(pattern)) > mostStates) return undefined;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** RE2 writes `x{1000}` down as a thousand `x`. */
function largestRepeat(pattern: string): number {
  const numbers = [...pattern.matchAll(/(?<!\d)\d+(?!\d)(?=,?\d*\})/g)].map(([digits]) =>
    Number(digits),
  );
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}
