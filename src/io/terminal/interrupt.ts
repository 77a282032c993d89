import type { TextStream } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";

/** The message for a second Ctrl-C. This module doesn't know whether a deployment is running. */
const endedAtOnce = terminal`
error: qvs ended at once
  If a deployment was running, its changes are incomplete and its release stays pending.
  The deployment lock expires after 30 s.
  help: Run the same command again; it waits for the lock and finishes the deployment
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
