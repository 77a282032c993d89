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
