/** In milliseconds. */
export interface BackoffLimits {
  readonly first: number;
  readonly longest: number;
}

/** How long an item is left alone after attempts that brought nothing: twice as long each time, up to a ceiling. */
export interface Backoff {
  /** Notes one more attempt and returns the delay after it, in milliseconds. */
  next(item: string): number;
  /** How many attempts in a row brought nothing. */
  attempts(item: string): number;
  forget(item: string): void;
}

/** `random` is from 0 to 1: replicas and items that failed together must not all come back together. */
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

/** How many corrections, of how long ago, are no sign of a fight. */
export interface FightLimits extends BackoffLimits {
  readonly window: number;
  readonly free: number;
}

/**
 * Somebody else may write again and again what is corrected here. Neither gives up, so the corrections of one deployment become
 * rarer: after a few within a window of time each one has to wait twice as long, up to a ceiling.
 */
export interface FightGuard {
  /** Notes a correction and returns how long the next one has to wait. */
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

/** From 90 to 110 percent. */
export function jittered(milliseconds: number, random: number): number {
  return Math.round(milliseconds * (0.9 + random * 0.2));
}
