/**
 * The adapter that a worker evaluates, in memory that it shares with the main thread. The main
 * thread can read it even after it had to end the worker.
 * A message for each change would take as long as the evaluation: an adapter and its composites
 * alternate hundreds of times.
 */
export interface EvaluatingAdapter {
  readonly memory: SharedArrayBuffer;
  write(adapter: string): void;
  /** Returns the adapter; undefined if nothing was written since `clear`. */
  read(): string | undefined;
  /** Returns the milliseconds since the last `write` or `clear`. */
  age(): number;
  clear(): void;
}

/** The size of the shared memory. Names of adapters are import paths; a longer name is cut off. */
const bytes = 4096;

export function openEvaluatingAdapter(memory = new SharedArrayBuffer(bytes)): EvaluatingAdapter {
  const length = new Int32Array(memory, 0, 1);
  const times = new BigInt64Array(memory, 8, 1);
  const text = new Uint8Array(memory, 16);
  const setTime = () => void Atomics.store(times, 0, BigInt(Date.now()));
  return {
    memory,
    write(adapter) {
      // A length of 0 keeps a reader from a half-written name.
      Atomics.store(length, 0, 0);
      const { written } = new TextEncoder().encodeInto(adapter, text);
      Atomics.store(length, 0, written);
      setTime();
    },
    read() {
      const count = Atomics.load(length, 0);
      // TextDecoder rejects shared memory, so it gets a copy.
      return count === 0 ? undefined : new TextDecoder().decode(text.slice(0, count));
    },
    age: () => Date.now() - Number(Atomics.load(times, 0)),
    clear: () => {
      Atomics.store(length, 0, 0);
      setTime();
    },
  };
}
