import type { Clock } from "../../src/ports/clock.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * Returns a clock that jumps to the next sleeper when no other work is left.
 * A test of several minutes therefore takes no time.
 */
export function virtualClock(start = "2026-01-01T00:00:00Z"): Clock {
  const sleepers = new Set<Sleeper>();
  let now = Date.parse(start);
  let scheduled = false;

  function scheduleJump(): void {
    if (scheduled) return;
    scheduled = true;
    void idle().then(jump);
  }

  function jump(): void {
    scheduled = false;
    const next = [...sleepers].sort((a, b) => a.until - b.until)[0];
    if (next === undefined) return;
    now = Math.max(now, next.until);
    next.wake();
    if (sleepers.size > 0) scheduleJump();
  }

  return {
    now: () => new Date(now),
    elapsed: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: now + milliseconds, wake: () => end(resolve) };
        const abort = () => end(() => reject(signal?.reason));
        const end = (settle: () => void) => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
          settle();
        };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener("abort", abort);
        sleepers.add(sleeper);
        scheduleJump();
      }),
  };
}

/** Waits for several turns of the event loop, until the tested code has done all its other work. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
