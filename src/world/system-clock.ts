import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal });
  },
};
