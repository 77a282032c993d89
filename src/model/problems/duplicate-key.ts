import type { Position, Problem } from "./problem.ts";

/**
 * Returns the error for a duplicate key in a map. YAML readers use one of the values without a
 * warning.
 */
export function duplicateKey(name: string, second: Position, first: Position): Problem {
  return {
    code: "duplicate-key",
    where: [second, first],
    what: `"${name}" occurs twice in one object`,
    facts: [{ label: "first", value: `line ${first.line}` }],
    fix: "Delete one of the two lines",
    otherwise: ["put both values under one key"],
  };
}
