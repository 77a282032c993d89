import type { Result } from "../../model/problem.ts";
import type { CompilerRequest, FileSource, ModuleRoot } from "../../ports.ts";
import type { Basis } from "./basis.ts";

export interface WorkerData {
  /** URL of cue.wasm.zst, or the engine as another worker has unpacked and compiled it. */
  readonly wasm: string | WebAssembly.Module;
  /** Memory of the Blackboard. */
  readonly evaluating: SharedArrayBuffer;
}

/** What the worker is told: a request whose file sources are numbered, so that each is sent only once. */
export interface ToWorker {
  readonly asked: Asked;
  readonly modules: readonly NumberedRoot[];
  /** The file sources that this worker has not seen yet, by number. */
  readonly sources: ReadonlyMap<number, FileSource>;
  /** Numbers of sources that it will not be asked about before they are sent again. */
  readonly forget: readonly number[];
  /** Bytes that the engines which it keeps may hold after this. */
  readonly room: number;
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
  readonly basis?: Basis;
  /** Bytes that the engine has come to hold. */
  readonly held?: number;
}

export type FromWorker =
  | { readonly type: "unpacked"; readonly module: WebAssembly.Module }
  /** The result is of the kind that was asked for. */
  | Answered
  | { readonly type: "failed"; readonly reason: "nesting" | "memory" | "size" }
  | { readonly type: "crashed"; readonly text: string };
