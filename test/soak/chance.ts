import { createHash } from "node:crypto";

/** Draws that depend only on a seed and on their order. */
export interface Chance {
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** Returns an integer from `least` to `most`. */
  between(least: number, most: number): number;
  /** Returns true in this many of 100 cases. */
  happens(percent: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** Each stream of a seed is independent, so that one loop doesn't change the draws of another. */
export function chanceOf(seed: number, stream: string): Chance {
  let drawn = 0;
  const below = (limit: number) => {
    drawn += 1;
    const digest = createHash("sha256").update(`${seed} ${stream} ${drawn}`).digest();
    return digest.readUIntBE(0, 6) % limit;
  };
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (percent) => below(100) < percent,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("There is nothing to draw from");
      return item;
    },
  };
}
