import type { Result } from "../../model/problems/problem.ts";
import type { CompilerRequest, FileSource, ModuleRoot } from "../../ports/cue.ts";
import type { InputsRead } from "./inputs-read.ts";

export interface WorkerData {
  /** URL of cue.wasm.zst, or the engine as another worker has unpacked and compiled it. */
  readonly wasm: string | WebAssembly.Module;
  /** Memory of the EvaluatingAdapter. */
  readonly evaluating: SharedArrayBuffer;
}

/** What the worker is told: a request whose file sources are numbered, so that each is sent only once. */
export interface ToWorker {
  readonly asked: Asked;
  readonly modules: readonly NumberedRoot[];
  /** The file sources that this worker has not seen yet, by number. */
  readonly sources: ReadonlyMap<number, FileSource>;
  /** Numbers of sources that it can drop: they are sent again before they are used again. */
  readonly drop: readonly number[];
  /** Bytes that the engines it keeps may use after this request. */
  readonly memoryLimit: number;
}

/** A request without its modules. */
type Asked = WithoutModules<CompilerRequest>;
type WithoutModules<R> = R extends unknown ? Omit<R, "modules"> : never;

export interface NumberedRoot extends Omit<ModuleRoot, "files"> {
  readonly source: number;
}

interface Answered {
  readonly type: "answered";
  readonly result: Result<unknown>;
  readonly inputsRead?: InputsRead;
  /** Bytes that the engine uses by now. */
  readonly held?: number;
}

export type FromWorker =
  | { readonly type: "unpacked"; readonly module: WebAssembly.Module }
  /** The result is of the kind that was asked for. */
  | Answered
  | { readonly type: "failed"; readonly reason: "nesting" | "memory" | "size" }
  | { readonly type: "crashed"; readonly text: string };
