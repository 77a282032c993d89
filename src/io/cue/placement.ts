/** A request that waits, by what makes an engine warm for it: its modules with the pattern, one key for each pattern. */
export interface Waiting {
  readonly keys: readonly string[];
}

/** What the engines of a worker have evaluated so far, as keys of requests. */
export type Warmth = ReadonlySet<string>;

/** So many evaluations in a warm engine take as long as it takes another worker to get as far. */
const worthAWorker = 4;

/**
 * The request that an idle worker takes, as an index into `queue`, which is not empty: one that it is warm for, or else one
 * that nobody is, or else the last one, which would have waited longest for the worker that is warm for it. An adapter
 * costs half a second in an engine that has not seen it, and a tenth of that in one that has.
 */
export function choose(queue: readonly Waiting[], own: Warmth, others: readonly Warmth[]): number {
  const mine = queue.findIndex(({ keys }) => keys.every((key) => own.has(key)));
  if (mine >= 0) return mine;
  const nobodys = queue.findIndex((each) => !others.some((warmth) => isWarm(each, warmth)));
  return nobodys >= 0 ? nobodys : queue.length - 1;
}

/** Whether one more worker is worth its start: something is cold everywhere, or much is waiting. */
export function needsWorker(queue: readonly Waiting[], all: readonly Warmth[]): boolean {
  return (
    queue.length > worthAWorker || queue.some((each) => !all.some((warmth) => isWarm(each, warmth)))
  );
}

function isWarm({ keys }: Waiting, warmth: Warmth): boolean {
  return keys.every((key) => warmth.has(key));
}
