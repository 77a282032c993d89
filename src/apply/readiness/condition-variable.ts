import type { Clock } from "../../ports/clock.ts";

/** Wakes one waiter. A notification before the wait isn't lost. Several count as one. */
export interface ConditionVariable {
  notify(): void;
  /** Returns when notified, or after `milliseconds`. */
  wait(clock: Clock, milliseconds: number): Promise<void>;
}

export function createConditionVariable(): ConditionVariable {
  let notified = new AbortController();
  return {
    notify: () => notified.abort(),
    async wait(clock, milliseconds) {
      try {
        if (!notified.signal.aborted) await clock.sleep(milliseconds, notified.signal);
      } catch (error) {
        if (!notified.signal.aborted) throw error;
      }
      if (notified.signal.aborted) notified = new AbortController();
    },
  };
}
