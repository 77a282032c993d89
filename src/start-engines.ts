import { timeLimitFrom } from "./io/cue/limits.ts";
import { type Pool, startPool } from "./io/cue/pool.ts";

/** The engine starts with this call, before anything else is read, or else with the first request. */
export function startEngines(start: "now" | "when asked" = "now"): Pool {
  const source = import.meta.url.endsWith(".ts");
  return startPool({
    start,
    timeLimit: timeLimitFrom(process.env),
    script: new URL(source ? "./compile-worker.ts" : "./compile.js", import.meta.url),
    wasm: new URL(source ? "../dist/cue.wasm.zst" : "./cue.wasm.zst", import.meta.url),
  });
}
