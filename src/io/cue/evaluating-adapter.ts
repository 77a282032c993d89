/**
 * The adapter that a worker evaluates, in memory shared with the main thread, which can still read it after it had to
 * end the worker. A message each time would take as long as the evaluation, since an adapter and its composites
 * alternate hundreds of times.
 */
export interface EvaluatingAdapter {
  readonly memory: SharedArrayBuffer;
  write(adapter: string): void;
  /** undefined when nothing was written since it was cleared. */
  read(): string | undefined;
  /** Milliseconds since it was written; since it was cleared where nothing was. */
  age(): number;
  clear(): void;
}

/** Names of adapters are import paths; what is longer is cut off. */
const bytes = 4096;

export function openEvaluatingAdapter(memory = new SharedArrayBuffer(bytes)): EvaluatingAdapter {
  const length = new Int32Array(memory, 0, 1);
  const times = new BigInt64Array(memory, 8, 1);
  const text = new Uint8Array(memory, 16);
  const setTime = () => void Atomics.store(times, 0, BigInt(Date.now()));
  return {
    memory,
    write(adapter) {
      // Not readable while it is half written.
      Atomics.store(length, 0, 0);
      const { written } = new TextEncoder().encodeInto(adapter, text);
      Atomics.store(length, 0, written);
      setTime();
    },
    read() {
      const count = Atomics.load(length, 0);
      // Decoding refuses shared memory, so it gets a copy.
      return count === 0 ? undefined : new TextDecoder().decode(text.slice(0, count));
    },
    age: () => Date.now() - Number(Atomics.load(times, 0)),
    clear: () => {
      Atomics.store(length, 0, 0);
      setTime();
    },
  };
}
