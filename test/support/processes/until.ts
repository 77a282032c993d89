import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessGroup } from "./process-group.ts";

/** Longer than any successful start, even on a busy machine. */
const limitMilliseconds = 600_000;

/**
 * Resolves when `done` returns true. Throws if a program of the group ends, or after the time
 * limit.
 */
export async function until(
  what: string,
  done: () => Promise<boolean>,
  group: ProcessGroup,
): Promise<void> {
  const deadline = Date.now() + limitMilliseconds;
  while (!(await done())) {
    await group.requireAlive();
    if (Date.now() > deadline)
      throw new Error(`${what} in time; see the logs in ${group.directory}`);
    await sleep(50);
  }
}
