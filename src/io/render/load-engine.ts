import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import type { EngineProgram } from "../cue/engine/instance.ts";
import { NativeProgram, type OnProcess } from "../cue/engine/native.ts";
import type { EngineFiles } from "../cue/messages.ts";
import { renderSources } from "./render-build.ts";

/**
 * Loads the render engine within this thread. A native program that can't be used is replaced by
 * WebAssembly.
 */
export function loadRenderEngine(
  { wasm, native }: EngineFiles,
  onProcess: OnProcess,
): EngineProgram {
  if (native !== undefined) {
    const program = new NativeProgram(native, renderSources, onProcess);
    if (program.isUsable()) return program;
  }
  return new WebAssembly.Module(zstdDecompressSync(readFileSync(new URL(wasm)), { chunkSize }));
}

/** A buffer for the whole engine. Smaller ones would have to be joined. */
const chunkSize = 64 << 20;
