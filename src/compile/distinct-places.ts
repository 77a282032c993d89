import type { Position } from "../model/problems/problem.ts";

/**
 * Returns the places of one problem with each line once. CUE often names several columns of a line.
 */
export function distinctPlaces(...positions: readonly (Position | undefined)[]): Position[] {
  const seen = new Map<string, Position>();
  for (const position of positions) {
    if (position === undefined) continue;
    const line = `${position.file}:${position.line}`;
    if (!seen.has(line)) seen.set(line, position);
  }
  return [...seen.values()];
}
