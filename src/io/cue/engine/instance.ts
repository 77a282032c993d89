import type { ModuleRoot } from "../../../ports/cue.ts";
import { AnswerTooLarge, EngineFailure } from "../failure.ts";
import { type Host, host } from "./host.ts";
import { wasi } from "./wasi.ts";

interface Exports {
  readonly memory: WebAssembly.Memory;
  alloc(size: number): number;
  dealloc(pointer: number): void;
  call(pointer: number, length: number): bigint;
  unused(): bigint;
}

/**
 * A running engine. After an EngineFailure its memory is in an unknown state, and every call throws
 * the same failure.
 */
export interface EngineInstance {
  readonly host: Host;
  /**
   * Sends a JSON request and returns the JSON answer. Throws AnswerTooLarge if the answer has more
   * than `maxBytes` bytes.
   */
  call(request: string, maxBytes: number): string;
  /**
   * Returns the bytes that the engine has ever used. WebAssembly memory never shrinks, but unused
   * memory costs nothing.
   */
  usedMemory(): number;
}

export function instantiate(
  module: WebAssembly.Module,
  roots: readonly ModuleRoot[],
): EngineInstance {
  let exports: Exports | undefined;
  const memory = () => (exports as Exports).memory;
  const system = wasi(module, memory);
  const files = host(roots, memory);
  const started = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: system.imports,
    host: files.imports,
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
