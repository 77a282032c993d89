import type { ModuleRoot } from "../../../ports/cue.ts";
import { AnswerTooLarge, EngineFailure } from "../failure.ts";
import type { FileQuestion } from "../inputs-read.ts";
import type { FileAnswer } from "../root-files.ts";
import { type Host, host } from "./host.ts";
import type { EngineInstance } from "./instance.ts";
import { wasi } from "./wasi.ts";

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
