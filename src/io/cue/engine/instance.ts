import type { ModuleRoot } from "../../../ports/cue.ts";
import type { Host } from "./host.ts";
import { instantiateNative, NativeProgram } from "./native.ts";
import { instantiateWasm } from "./wasm.ts";

/** An engine that can be started: as WebAssembly, or as a program of this machine. */
export type EngineProgram = WebAssembly.Module | NativeProgram;

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
   * memory costs nothing. A native engine returns the bytes that it uses now.
   */
  usedMemory(): number;
  /** Frees what the engine holds. It can't be used afterwards. */
  close(): void;
}

/** Starts an engine. Both kinds speak the same protocol, and give the same answers. */
export function instantiate(program: EngineProgram, roots: readonly ModuleRoot[]): EngineInstance {
  return program instanceof NativeProgram
    ? instantiateNative(program, roots)
    : instantiateWasm(program, roots);
}
