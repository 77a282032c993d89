import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessGroup } from "./process-group.ts";

/** Longer than any start that succeeds, even on a busy machine. */
const limitMilliseconds = 600_000;

/** Resolves when `done` says so; throws as soon as a program of the group has ended, or when it takes too long. */
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
