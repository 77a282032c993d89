import type { Compilation } from "../../model/compilation.ts";
import type { Result } from "../../model/problem.ts";

export interface WorkerData {
  /** URL of cue.wasm.zst. */
  readonly wasm: string;
}

/** What the worker says; to it goes a CompileRequest and nothing else. */
export type FromWorker =
  | { readonly type: "evaluating"; readonly adapter: string }
  | { readonly type: "compiled"; readonly result: Result<Compilation> }
  | { readonly type: "failed"; readonly reason: "nesting" | "memory" | "size" }
  | { readonly type: "crashed"; readonly text: string };
