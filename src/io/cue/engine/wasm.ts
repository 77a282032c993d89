import { fieldOf } from "../../../model/json.ts";
import type { ModuleRoot } from "../../../ports/cue.ts";
import { AnswerTooLarge, EngineFailure } from "../failure.ts";
import type { FileQuestion } from "../inputs-read.ts";
import type { FileAnswer } from "../root-files.ts";
import { type Host, host } from "./host.ts";
import type { EngineInstance } from "./instance.ts";

interface Exports {
  readonly memory: WebAssembly.Memory;
  alloc(size: number): number;
  dealloc(pointer: number): void;
  call(pointer: number, length: number): bigint;
  unused(): bigint;
}

/** Starts an engine within this thread, with a memory of its own. */
export function instantiateWasm(
  module: WebAssembly.Module,
  roots: readonly ModuleRoot[],
): EngineInstance {
  let exports: Exports | undefined;
  const memory = () => (exports as Exports).memory;
  const system = wasi(module, memory);
  const files = host(roots);
  const started = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: system.imports,
    host: importsOf(files, memory),
  });
  exports = started.exports as unknown as Exports;
  const engine = exports;
  let failure: EngineFailure | undefined;
  return {
    host: files,
    call: (request, maxBytes) => {
      if (failure !== undefined) throw failure;
      try {
        return exchange(engine, request, maxBytes);
      } catch (cause) {
        if (cause instanceof AnswerTooLarge) throw cause;
        failure = new EngineFailure(cause, system.printed());
        throw failure;
      }
    },
    usedMemory: () => {
      const unused = failure === undefined ? Number(engine.unused()) : 0;
      return engine.memory.buffer.byteLength - unused;
    },
    close: () => {},
  };
}

function exchange(engine: Exports, request: string, maxBytes: number): string {
  const bytes = Buffer.from(request);
  const pointer = engine.alloc(bytes.length);
  new Uint8Array(engine.memory.buffer, pointer, bytes.length).set(bytes);
  const answer = engine.call(pointer, bytes.length);
  const at = Number(answer >> 32n);
  const size = Number(answer & 0xffffffffn);
  const text = size > maxBytes ? undefined : Buffer.from(engine.memory.buffer, at, size).toString();
  engine.dealloc(at);
  if (text === undefined) throw new AnswerTooLarge(size);
  return text;
}

/** Returns the functions that the engine can call during an evaluation. */
function importsOf(files: Host, memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  const asking =
    (ask: FileQuestion["ask"]) =>
    (root: number, path: number, length: number, into: number, capacity: number) => {
      const question = { root, path: readName(memory(), path, length), ask };
      return write(memory(), files.ask(question), into, capacity);
    };
  return {
    list_files: asking("files"),
    list_entries: asking("entries"),
    read_file: asking("text"),
  };
}

function readName(memory: WebAssembly.Memory, at: number, length: number): string {
  return Buffer.from(memory.buffer, at, length).toString();
}

/**
 * Writes as much as fits. Returns the full length, so that the engine can ask again with more room.
 */
function write(memory: WebAssembly.Memory, answer: FileAnswer, into: number, capacity: number) {
  if (typeof answer === "number") return answer;
  answer.copy(new Uint8Array(memory.buffer, into, capacity), 0, 0, capacity);
  return answer.length;
}

/** The few system calls that Go's runtime makes. The engine needs and gets no other ones. */
interface Wasi {
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
