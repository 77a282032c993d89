/**
 * What a worker writes up for whoever is left when it had to be ended: the adapter that it evaluates. A message each time
 * would take as long as the evaluation, since an adapter and its composites take turns hundreds of times.
 */
export interface Blackboard {
  readonly memory: SharedArrayBuffer;
  write(adapter: string): void;
  /** undefined when nothing was written since it was wiped. */
  read(): string | undefined;
  wipe(): void;
}

/** Names of adapters are import paths; what is longer is cut off. */
const room = 4096;

export function openBlackboard(memory = new SharedArrayBuffer(room)): Blackboard {
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
    wipe: () => void Atomics.store(length, 0, 0),
  };
}
