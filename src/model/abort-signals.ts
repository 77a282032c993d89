/**
 * Resolves with the result of the work, or rejects with the signal's reason as soon as the signal
 * aborts. A later result is ignored.
 */
export async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * Does `work`, and calls each listener when its signal aborts, or at once if it already has.
 * Afterwards it removes all listeners, even if the work throws.
 */
export async function whileListening<T>(
  listeners: readonly (readonly [signal: AbortSignal, onAbort: () => void])[],
  work: () => Promise<T>,
): Promise<T> {
  for (const [signal, onAbort] of listeners) {
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }
  try {
    return await work();
  } finally {
    for (const [signal, onAbort] of listeners) signal.removeEventListener("abort", onAbort);
  }
}
