import type { Result } from "../../model/problems/problem.ts";
import type { CompilerRequest, FileSource, ModuleRoot } from "../../ports/cue.ts";
import type { InputsRead } from "./inputs-read.ts";

/** The files of an engine. */
export interface EngineFiles {
  /** The URL of the packed wasm module. */
  readonly wasm: string;
  /** The path of the native program; undefined if the worker uses WebAssembly. */
  readonly native: string | undefined;
}

/** The work of a worker before its first request. */
export type WorkerStart = "with engine" | "without engine";

export interface WorkerData {
  /** The URL of cue.wasm.zst, or the engine that another worker unpacked and compiled. */
  readonly wasm: string | WebAssembly.Module;
  /** The path of the native engine; undefined if the worker uses WebAssembly. */
  readonly native: string | undefined;
  /** The render engine, which a worker loads when a config needs it. */
  readonly render: EngineFiles;
  /** `with engine`: the worker prepares the CUE engine for the first request. */
  readonly start: WorkerStart;
  /** The memory of the EvaluatingAdapter. */
  readonly evaluating: SharedArrayBuffer;
}

/** A request to the worker. Its file sources have numbers, so that each is sent only once. */
export interface ToWorker {
  readonly request: RequestWithoutModules;
  readonly modules: readonly NumberedRoot[];
  /** The file sources that this worker hasn't received yet, by number. */
  readonly sources: ReadonlyMap<number, FileSource>;
  /**
   * The numbers of sources that the worker can drop. The pool sends them again before their next
   * use.
   */
  readonly drop: readonly number[];
  /** The maximum memory of the engines that the worker keeps after this request, in bytes. */
  readonly memoryLimit: number;
}

/** A request without its modules. */
type RequestWithoutModules = OmitModules<CompilerRequest>;
type OmitModules<R> = R extends unknown ? Omit<R, "modules"> : never;

export interface NumberedRoot extends Omit<ModuleRoot, "files"> {
  readonly source: number;
}

interface Answered {
  readonly type: "answered";
  readonly result: Result<unknown>;
  readonly inputsRead?: InputsRead;
  /** The memory that both engines use after the request, in bytes. */
  readonly memoryUsed?: number;
}

export type FromWorker =
  /**
   * Other workers can start. They get the engine, unless it is a native one or wasn't needed yet.
   */
  | { readonly type: "ready"; readonly module: WebAssembly.Module | undefined }
  /** The state of a process of the native engine. */
  | { readonly type: "process"; readonly pid: number; readonly state: "started" | "ended" }
  /** The type of the result depends on the kind of the request. */
  | Answered
  | { readonly type: "failed"; readonly reason: "nesting" | "memory" | "size" }
  | { readonly type: "crashed"; readonly text: string };
