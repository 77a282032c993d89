import { fieldOf } from "../../../model/json.ts";

/** The few system calls that Go's runtime makes; the engine asks for nothing else and gets nothing else. */
export interface Wasi {
  readonly imports: WebAssembly.ModuleImports;
  /** What the runtime printed last, which is why it died. */
  printed(): string;
}

const success = 0;
const badFileDescriptor = 8;
const notSupported = 52;
const notRandom = 0x5a;
const printedLimit = 16_000;

/**
 * A Go runtime without arguments, environment or files. (node:wasi warns on stderr that it is experimental.)
 * `nanoseconds` is how long it has been running; the build passes a clock that stands still.
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
      // Go mixes the order of its maps with this. Without chance, the same input gives the same messages.
      new Uint8Array(memory().buffer, into, length).fill(notRandom);
      return success;
    },
    fd_write(_file: number, buffers: number, count: number, written: number) {
      const texts = vectors(memory(), buffers, count);
      printed = (printed + texts.join("")).slice(-printedLimit);
      view().setUint32(written, Buffer.byteLength(texts.join("")), true);
      return success;
    },
    poll_oneoff: (subscriptions: number, events: number, count: number, fired: number) =>
      fireAll(view(), subscriptions, events, count, fired),
    proc_exit(code: number) {
      throw new Error(`the engine exited with code ${code}`);
    },
  };
  return { imports: withoutTheRest(module, calls), printed: () => printed };
}

/** Any moment will do for Go, as long as time goes on from the one at which the engine was built. */
const epoch = 1_000_000_000n;

function stopwatch(): () => bigint {
  const started = process.hrtime.bigint();
  return () => process.hrtime.bigint() - started;
}

/** Every timer is due at once: sleeping would only stop the one thread that could do something. */
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

function withoutTheRest(module: WebAssembly.Module, calls: WebAssembly.ModuleImports) {
  const imports = WebAssembly.Module.imports(module).filter(
    ({ module: from }) => from === "wasi_snapshot_preview1",
  );
  return Object.fromEntries(
    imports.map(({ name }) => [name, fieldOf(calls, name) ?? (() => notSupported)]),
  );
}
