import type { Clock } from "../ports/clock.ts";

/**
 * The queue of due items, with the rules of client-go's workqueue
 * (https://pkg.go.dev/k8s.io/client-go/util/workqueue).
 * It contains an item once and never gives it to two workers. An item that is added while a worker
 * processes it is processed again afterwards.
 */
export interface WorkQueue {
  add(item: string): void;
  /** Adds an item after a delay. The earliest of several delays applies. */
  addAfter(item: string, milliseconds: number): void;
  /**
   * Returns the next item when there is one; undefined when the queue is closed.
   * The caller must call `done` afterwards.
   */
  take(): Promise<string | undefined>;
  done(item: string): void;
  /** Removes an item that no worker has taken yet. */
  drop(item: string): void;
  /** Returns the number of items that wait for a worker, without delayed items. */
  waiting(): number;
  /** Stops the queue. It returns no more items. */
  close(): void;
}

export function createQueue(clock: Clock): WorkQueue {
  const ready: string[] = [];
  /** The items to process: those in `ready`, and those that were added again during processing. */
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
  /** The time in milliseconds of `Clock.elapsed`. */
  readonly at: number;
  readonly cancel: AbortController;
}

function cancelTimer(timers: Map<string, Timer>, item: string): void {
  timers.get(item)?.cancel.abort();
  timers.delete(item);
}
