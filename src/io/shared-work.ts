/** Returns the result of earlier work with the same key, or starts the work. */
export function once<T>(
  known: Map<string, Promise<T>>,
  parts: readonly (string | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const key = JSON.stringify(parts);
  const before = known.get(key);
  if (before !== undefined) return before;
  const started = work();
  known.set(key, started);
  return started;
}

/**
 * Returns a function that runs at most `limit` tasks at a time. Other tasks wait in the order of
 * their calls.
 */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next task takes over this place, so that no other task can use it first.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
