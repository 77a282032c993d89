/** Ctrl-C, or a cancelled job: the first signal asks to stop cleanly, the second one ends the process. */
export function interruptible(process: NodeJS.Process): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const stopCleanly = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", stopCleanly);
  process.on("SIGTERM", stopCleanly);
  return {
    signal: controller.signal,
    stop: () => {
      process.off("SIGINT", stopCleanly);
      process.off("SIGTERM", stopCleanly);
    },
  };
}
