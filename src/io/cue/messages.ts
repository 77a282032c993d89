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

interface NumberedRoot extends Omit<ModuleRoot, "files"> {
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

/** Numbers of file sources. A directory, or a set of files in memory, always keeps its number. */
export interface SourceNumbers {
  number(source: FileSource): number;
}

export function numberSources(): SourceNumbers {
  const inMemory = new WeakMap<object, number>();
  const onDisk = new Map<string, number>();
  let last = 0;
  return {
    number(source) {
      const known =
        source.in === "memory" ? inMemory.get(source.files) : onDisk.get(source.directory);
      if (known !== undefined) return known;
      last += 1;
      if (source.in === "memory") inMemory.set(source.files, last);
      else onDisk.set(source.directory, last);
      return last;
    },
  };
}

/**
 * The sources that a worker has. Copying a commit's files to it for every request would take longer
 * than compiling.
 */
export interface WorkerSources {
  /** Returns the request as a message, with the sources that the worker doesn't have yet. */
  messageFor(request: CompilerRequest, memoryLimit: number): ToWorker;
}

/**
 * The maximum number of sources per worker. Each has a few megabytes. A run reads a base, a head
 * and few modules.
 */
const maxSources = 12;

export function trackWorkerSources(numbers: SourceNumbers): WorkerSources {
  const held = new Set<number>();
  return {
    messageFor({ modules, ...asked }, memoryLimit) {
      const numbered = modules.map(({ display, files }): NumberedRoot => {
        return { display, source: numbers.number(files) };
      });
      const requested = new Map(modules.map(({ files }) => [numbers.number(files), files]));
      const sources = new Map([...requested].filter(([number]) => !held.has(number)));
      // Marks the requested sources as the most recently used.
      for (const number of requested.keys()) {
        held.delete(number);
        held.add(number);
      }
      const excess = Math.max(0, held.size - Math.max(maxSources, requested.size));
      const drop = [...held].slice(0, excess);
      for (const number of drop) held.delete(number);
      return { request: asked, modules: numbered, sources, drop, memoryLimit };
    },
  };
}
