import { createCompiler } from "./io/cue/compiler.ts";
import { timeLimitFrom } from "./io/cue/limits.ts";
import type { Compiler } from "./ports.ts";

/** The engine starts with this call, before anything else is read. */
export function startCompiler(): Compiler {
  const source = import.meta.url.endsWith(".ts");
  return createCompiler({
    script: new URL(source ? "./compile-worker.ts" : "./compile.js", import.meta.url),
    timeLimit: timeLimitFrom(process.env),
    wasm: new URL(source ? "../dist/cue.wasm.zst" : "./cue.wasm.zst", import.meta.url),
  });
}
