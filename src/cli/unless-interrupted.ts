/** The time in milliseconds for a clean end, which reports more than an interruption. */
const defaultGraceMs = 1_000;

/**
 * Returns the result of the work, or rejects soon after the signal aborts.
 * A run without changes doesn't wait for a server that doesn't answer. A run with changes always
 * finishes cleanly, however long that takes.
 */
export async function unlessInterrupted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  hasChanged: () => boolean,
  graceMs = defaultGraceMs,
): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    timer = setTimeout(() => hasChanged() || reject(signal.reason), graceMs);
  };
  if (signal.aborted) giveUp();
  else signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    clearTimeout(timer);
  }
}
