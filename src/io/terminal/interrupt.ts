import type { TextStream } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";

/** The message for a second Ctrl-C. This module doesn't know whether a deployment is running. */
const endedAtOnce = terminal`
Ended at once. If a deployment was under way: what it was doing may be half done, its release stays pending, and its
lock stays until it expires (30 s).
  → Run it again: it waits for the lock and finishes the work
`;

/**
 * Handles Ctrl-C and a canceled job. The first signal requests a clean stop, and a second Ctrl-C
 * ends the process.
 * GitHub cancels with SIGINT and, seconds later, SIGTERM. SIGTERM must not end the process while it
 * records the result of the deployment.
 */
export function interruptible(process: NodeJS.Process): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let pressed = false;
  const onInterrupt = () => {
    if (pressed) {
      const stderr: TextStream = process.stderr;
      stderr.write(endedAtOnce);
      process.exit(130);
    }
    pressed = true;
    controller.abort();
  };
  const onTerminate = () => controller.abort();
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  return {
    signal: controller.signal,
    stop: () => {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
    },
  };
}
