import type { Clock } from "../../ports.ts";

/** Wakes one sleeper. A ring before the sleep is not lost; several count as one. */
export interface Bell {
  ring(): void;
  /** Returns when the bell rings, or after `milliseconds`. */
  sleep(clock: Clock, milliseconds: number): Promise<void>;
}

export function createBell(): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    async sleep(clock, milliseconds) {
      try {
        if (!rung.signal.aborted) await clock.sleep(milliseconds, rung.signal);
      } catch (error) {
        if (!rung.signal.aborted) throw error;
      }
      if (rung.signal.aborted) rung = new AbortController();
    },
  };
}
