/** Lets at most `limit` pieces of work run at a time; the others wait in the order in which they came. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Whoever waits takes over the place, so that nobody can come in between.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
