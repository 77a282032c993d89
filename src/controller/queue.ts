import type { Clock } from "../ports/clock.ts";

/**
 * What is due to be worked on, by the rules of client-go's workqueue
 * (https://pkg.go.dev/k8s.io/client-go/util/workqueue): an item is never held twice, never worked on twice at once, and what is
 * added while it is worked on is worked on again afterwards.
 */
export interface WorkQueue {
  add(item: string): void;
  /** The same, `milliseconds` from now. Of several the earliest counts. */
  addAfter(item: string, milliseconds: number): void;
  /** The next item, once there is one; undefined when the queue is closed. Ends with `done`. */
  take(): Promise<string | undefined>;
  done(item: string): void;
  /** Forgets an item that is not worked on yet. */
  drop(item: string): void;
  /** How many wait to be taken, those that are due later left out. */
  waiting(): number;
  /** Nothing is handed out any more. */
  close(): void;
}

export function createQueue(clock: Clock): WorkQueue {
  const ready: string[] = [];
  /** To be worked on: those in `ready`, and those that were added again while they are worked on. */
  const dirty = new Set<string>();
  const processing = new Set<string>();
  const takers: ((item: string | undefined) => void)[] = [];
  const timers = new Map<string, Timer>();
  let closed = false;

  function hand(item: string): void {
    dirty.delete(item);
    processing.add(item);
  }

  function push(item: string): void {
    const taker = takers.shift();
    if (taker === undefined) {
      ready.push(item);
      return;
    }
    hand(item);
    taker(item);
  }

  function add(item: string): void {
    cancelTimer(timers, item);
    if (closed || dirty.has(item)) return;
    dirty.add(item);
    if (!processing.has(item)) push(item);
  }

  return {
    add,
    addAfter(item, milliseconds) {
      if (closed) return;
      if (milliseconds <= 0) return add(item);
      const at = clock.elapsed() + milliseconds;
      const known = timers.get(item);
      if (known !== undefined && known.at <= at) return;
      cancelTimer(timers, item);
      const cancel = new AbortController();
      timers.set(item, { at, cancel });
      const due = () => {
        if (!cancel.signal.aborted) add(item);
      };
      clock.sleep(milliseconds, cancel.signal).then(due, () => {});
    },
    take() {
      if (closed) return Promise.resolve(undefined);
      const item = ready.shift();
      if (item === undefined) return new Promise((resolve) => takers.push(resolve));
      hand(item);
      return Promise.resolve(item);
    },
    done(item) {
      processing.delete(item);
      if (dirty.has(item)) push(item);
    },
    drop(item) {
      cancelTimer(timers, item);
      dirty.delete(item);
      const at = ready.indexOf(item);
      if (at >= 0) ready.splice(at, 1);
    },
    waiting: () => ready.length,
    close() {
      closed = true;
      for (const item of timers.keys()) cancelTimer(timers, item);
      ready.length = 0;
      for (const taker of takers.splice(0)) taker(undefined);
    },
  };
}

interface Timer {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cancel: AbortController;
}

function cancelTimer(timers: Map<string, Timer>, item: string): void {
  timers.get(item)?.cancel.abort();
  timers.delete(item);
}
