import { createPoolCompiler } from "../io/cue/compiler.ts";
import { readTimeLimit } from "../io/cue/limits.ts";
import { type EngineStart, type Pool, startPool } from "../io/cue/pool.ts";
import type { Compiler } from "../ports/cue.ts";

/** Starts a compiler that uses no cached compilation. `native` is the path of a native engine. */
export function startCompiler(native?: string | undefined): Compiler {
  return createPoolCompiler(startEngines(process.env, "now", native), {});
}

/**
 * Starts the engine with this call, before qvs reads anything else, or when a request needs it.
 * `native` is the path of a native engine, which replaces WebAssembly.
 */
export function startEngines(
  env: NodeJS.ProcessEnv,
  start: EngineStart = "now",
  native?: string | undefined,
): Pool {
  const source = import.meta.url.endsWith(".ts");
  return startPool({
    start,
    native,
    timeLimit: readTimeLimit(env),
    script: new URL(source ? "../compile-worker.ts" : "./compile.js", import.meta.url),
    wasm: new URL(source ? "../../dist/cue.wasm.zst" : "./cue.wasm.zst", import.meta.url),
  });
}
