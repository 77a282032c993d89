import type { WorkerData } from "../messages.ts";
import { engineSources } from "./engine-build.ts";
import type { EngineProgram } from "./instance.ts";
import { loadWasm, loadWasmNow } from "./load-wasm.ts";
import { NativeProgram, type OnProcess } from "./native.ts";

/** The program of the CUE engine, which a worker loads only if a request needs it. */
export interface LazyProgram {
  /** Loads the program. WebAssembly is unpacked while the thread does other work. */
  load(): Promise<EngineProgram>;
  /** Returns the program, and loads it within this call if it isn't loaded yet. */
  now(): EngineProgram;
}

/** Receives the compiled engine, for other workers; undefined for a native engine. */
export type OnLoaded = (module: WebAssembly.Module | undefined) => void;

/**
 * Returns the program of a worker. The first worker unpacks the engine, and `onLoaded` passes it to
 * all others. A native engine that can't be used is replaced by WebAssembly.
 */
export function lazyProgram(
  { wasm, native }: Pick<WorkerData, "wasm" | "native">,
  onLoaded: OnLoaded,
  onProcess: OnProcess,
): LazyProgram {
  let loaded: EngineProgram | undefined;
  let loading: Promise<EngineProgram> | undefined;
  const finish = (program: EngineProgram): EngineProgram => {
    // A call of `now` can end first.
    if (loaded !== undefined) return loaded;
    loaded = program;
    if (program instanceof NativeProgram) onLoaded(undefined);
    else if (typeof wasm === "string") onLoaded(program);
    return program;
  };
  const withoutWaiting = (): EngineProgram | undefined => {
    if (native !== undefined) {
      const program = new NativeProgram(native, engineSources, onProcess);
      if (program.isUsable()) return program;
    }
    return typeof wasm === "string" ? undefined : wasm;
  };
  const load = async (): Promise<EngineProgram> =>
    finish(withoutWaiting() ?? (await loadWasm(new URL(wasm as string))));
  return {
    load() {
      loading ??= loaded === undefined ? load() : Promise.resolve(loaded);
      return loading;
    },
    now: () => loaded ?? finish(withoutWaiting() ?? loadWasmNow(new URL(wasm as string))),
  };
}
