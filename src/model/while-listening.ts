/**
 * Does `work`, and calls each listener when its signal aborts, or at once if it has. Afterwards
 * none of them is attached any more, also if the work throws.
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
