/**
 * Lets single questions that are asked in the same turn be answered by one process, and no question be asked twice.
 * To start a process means to copy the page tables of this one: with compiling threads in it, tens of milliseconds.
 */
export function readTogether<T>(
  readAll: (paths: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (path: string) => Promise<T | undefined> {
  const known = new Map<string, Promise<T | undefined>>();
  let waiting: string[] = [];
  let next: Promise<ReadonlyMap<string, T>> | undefined;
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    waiting.push(path);
    next ??= nextTurn().then(() => {
      const asked = waiting;
      waiting = [];
      next = undefined;
      return readAll(asked);
    });
    const answer = next.then((all) => all.get(path));
    known.set(path, answer);
    return answer;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
