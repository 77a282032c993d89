import type { Position, Problem } from "./problem.ts";

/**
 * Returns the error for a duplicate key in a map. YAML readers use one of the values without a
 * warning.
 */
export function duplicateKey(name: string, second: Position, first: Position): Problem {
  return {
    code: "duplicate-key",
    where: [second, first],
    what: `The key "${name}" is given twice in one map, first in line ${first.line}`,
    fix: "Delete one of the two lines; where both are meant, put their values under one key",
  };
}
