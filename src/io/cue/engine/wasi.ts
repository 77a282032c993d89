import { fieldOf } from "../../../model/json.ts";

/** The few system calls that Go's runtime makes. The engine needs and gets no other ones. */
export interface Wasi {
  readonly imports: WebAssembly.ModuleImports;
  /**
   * Returns the first and the last output of the runtime. It explains a crash: Go prints the
   * reason, and then a trace that can be long.
   */
  printed(): string;
}

const success = 0;
const badFileDescriptor = 8;
const notSupported = 52;
const notRandom = 0x5a;
const printedLimit = 16_000;

/**
 * Creates the system calls of a Go runtime without arguments, environment or files. It replaces
 * node:wasi, which warns on stderr that it is experimental.
 * `nanoseconds` returns the time since the start. The build passes a stopped clock.
 */
export function wasi(
  module: WebAssembly.Module,
  memory: () => WebAssembly.Memory,
  nanoseconds: () => bigint = stopwatch(),
): Wasi {
  let printed = "";
  const view = () => new DataView(memory().buffer);
  const noStrings = (count: number, size: number) => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return success;
  };
  const calls: WebAssembly.ModuleImports = {
    args_sizes_get: noStrings,
    args_get: () => success,
    environ_sizes_get: noStrings,
    environ_get: () => success,
    fd_prestat_get: () => badFileDescriptor,
    sched_yield: () => success,
    clock_time_get(_clock: number, _precision: bigint, into: number) {
      view().setBigUint64(into, epoch + nanoseconds(), true);
      return success;
    },
    random_get(into: number, length: number) {
      // Go seeds the order of its maps with these bytes. With constant bytes, the same input gives
      // the same messages.
      new Uint8Array(memory().buffer, into, length).fill(notRandom);
      return success;
    },
    fd_write(_file: number, buffers: number, count: number, written: number) {
      const texts = vectors(memory(), buffers, count);
      printed += texts.join("");
      if (printed.length > printedLimit)
        printed = printed.slice(0, printedLimit / 2) + printed.slice(-printedLimit / 2);
      view().setUint32(written, Buffer.byteLength(texts.join("")), true);
      return success;
    },
    poll_oneoff: (subscriptions: number, events: number, count: number, fired: number) =>
      fireAll(view(), subscriptions, events, count, fired),
    proc_exit(code: number) {
      throw new Error(`the engine exited with code ${code}`);
    },
  };
  return { imports: withUnsupportedCalls(module, calls), printed: () => printed };
}

/**
 * The start of the engine's clock. Go accepts any time that isn't before the time of the engine's
 * build.
 */
const epoch = 1_000_000_000n;

function stopwatch(): () => bigint {
  const started = process.hrtime.bigint();
  return () => process.hrtime.bigint() - started;
}

/** Fires every timer at once. Sleeping would only block the one thread that could make progress. */
function fireAll(
  view: DataView,
  subscriptions: number,
  events: number,
  count: number,
  fired: number,
) {
  for (let i = 0; i < count; i++) {
    view.setBigUint64(events + i * 32, view.getBigUint64(subscriptions + i * 48, true), true);
    view.setUint16(events + i * 32 + 8, success, true);
    view.setUint8(events + i * 32 + 10, view.getUint8(subscriptions + i * 48 + 8));
  }
  view.setUint32(fired, count, true);
  return success;
}

function vectors(memory: WebAssembly.Memory, at: number, count: number): string[] {
  const view = new DataView(memory.buffer);
  return Array.from({ length: count }, (_, i) => {
    const start = view.getUint32(at + i * 8, true);
    return Buffer.from(memory.buffer, start, view.getUint32(at + i * 8 + 4, true)).toString();
  });
}

function withUnsupportedCalls(module: WebAssembly.Module, calls: WebAssembly.ModuleImports) {
  const imports = WebAssembly.Module.imports(module).filter(
    ({ module: from }) => from === "wasi_snapshot_preview1",
  );
  return Object.fromEntries(
    imports.map(({ name }) => [name, fieldOf(calls, name) ?? (() => notSupported)]),
  );
}
