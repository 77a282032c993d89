import type { Compilation } from "../../model/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/description.ts";
import type { Result } from "../../model/problem.ts";

export interface WorkerData {
  /** URL of cue.wasm.zst. */
  readonly wasm: string;
}

/** What the worker says; to it goes a CompilerRequest and nothing else. */
export type FromWorker =
  | { readonly type: "evaluating"; readonly importPath: string }
  | { readonly type: "compiled"; readonly result: Result<Compilation> }
  | { readonly type: "described"; readonly result: Result<AdapterDescription | undefined> }
  | { readonly type: "listed"; readonly result: Result<readonly ModuleListing[]> }
  | { readonly type: "failed"; readonly reason: "nesting" | "memory" }
  | { readonly type: "crashed"; readonly text: string };
