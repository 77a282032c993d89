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
  clear(): void;
}

/** Names of adapters are import paths; what is longer is cut off. */
const bytes = 4096;

export function openEvaluatingAdapter(memory = new SharedArrayBuffer(bytes)): EvaluatingAdapter {
  const length = new Int32Array(memory, 0, 1);
  const text = new Uint8Array(memory, 4);
  return {
    memory,
    write(adapter) {
      // Not readable while it is half written.
      Atomics.store(length, 0, 0);
      const { written } = new TextEncoder().encodeInto(adapter, text);
      Atomics.store(length, 0, written);
    },
    read() {
      const count = Atomics.load(length, 0);
      // Decoding refuses shared memory, so it gets a copy.
      return count === 0 ? undefined : new TextDecoder().decode(text.slice(0, count));
    },
    clear: () => void Atomics.store(length, 0, 0),
  };
}
