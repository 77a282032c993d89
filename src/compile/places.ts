import type { Position } from "../model/problems/problem.ts";

/** The places of one problem, each line once: CUE likes to name several columns of it. */
export function places(...positions: readonly (Position | undefined)[]): Position[] {
  const seen = new Map<string, Position>();
  for (const position of positions) {
    if (position === undefined) continue;
    const line = `${position.file}:${position.line}`;
    if (!seen.has(line)) seen.set(line, position);
  }
  return [...seen.values()];
}
