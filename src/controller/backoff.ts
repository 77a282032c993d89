/** The limits of a backoff, in milliseconds. */
export interface BackoffLimits {
  readonly first: number;
  readonly longest: number;
}

/** The delay after unsuccessful attempts for an item. It doubles each time, up to a maximum. */
export interface Backoff {
  /** Records an attempt and returns the delay after it, in milliseconds. */
  next(item: string): number;
  /** Returns the number of successive unsuccessful attempts. */
  attempts(item: string): number;
  forget(item: string): void;
}

/**
 * Creates a backoff. `random` returns a number from 0 to 1.
 * The jitter keeps replicas and items that failed together from retrying together.
 */
export function createBackoff({ first, longest }: BackoffLimits, random: () => number): Backoff {
  const attempts = new Map<string, number>();
  return {
    next(item) {
      const before = attempts.get(item) ?? 0;
      attempts.set(item, before + 1);
      return jittered(Math.min(longest, first * 2 ** before), random());
    },
    attempts: (item) => attempts.get(item) ?? 0,
    forget: (item) => void attempts.delete(item),
  };
}

/** The number of corrections within a time window that don't count as a fight. */
export interface FightLimits extends BackoffLimits {
  readonly window: number;
  readonly free: number;
}

/**
 * Slows down corrections if another client writes the corrected values again and again.
 * After a few corrections of one deployment within the window, the delay doubles each time, up to a
 * maximum.
 */
export interface FightGuard {
  /** Records a correction and returns the delay before the next one. */
  corrected(item: string, now: number): number;
  forget(item: string): void;
}

export function createFightGuard({ first, longest, window, free }: FightLimits): FightGuard {
  const corrections = new Map<string, readonly number[]>();
  const kept = free + Math.ceil(Math.log2(longest / first)) + 1;
  return {
    corrected(item, now) {
      const recent = (corrections.get(item) ?? []).filter((at) => now - at < window);
      const all = [...recent, now].slice(-kept);
      corrections.set(item, all);
      const beyond = all.length - free;
      return beyond <= 0 ? 0 : Math.min(longest, first * 2 ** (beyond - 1));
    },
    forget: (item) => void corrections.delete(item),
  };
}

/** Changes a duration randomly to 90 to 110 percent. */
export function jittered(milliseconds: number, random: number): number {
  return Math.round(milliseconds * (0.9 + random * 0.2));
}
