/** Lets at most a number of tasks run at once; the others wait in the order in which they came. */
export type Gate = <T>(task: () => Promise<T>) => Promise<T>;

export function createGate(width: number): Gate {
  const queue: (() => void)[] = [];
  let free = width;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await task();
    } finally {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
