import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";
import type { WorkerData } from "../messages.ts";
import { engineSources } from "./engine-build.ts";
import type { EngineProgram } from "./instance.ts";
import { NativeProgram, type OnProcess } from "./native.ts";

/** The program of the CUE engine, which a worker loads only if a request needs it. */
interface LazyProgram {
  /** Loads the program. WebAssembly is unpacked while the thread does other work. */
  load(): Promise<EngineProgram>;
  /** Returns the program, and loads it within this call if it isn't loaded yet. */
  now(): EngineProgram;
}

/** Receives the compiled engine, for other workers; undefined for a native engine. */
type OnLoaded = (module: WebAssembly.Module | undefined) => void;

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

/**
 * V8 flags that make the engine faster.
 * Without the first flag, V8 checks all 18,000 functions when it gets them, and not only the few
 * that are called. Without the second flag, V8 compiles frequent functions a second time in the
 * background. That costs as much as a short evaluation on two cores.
 * No evaluation uses up this budget in the first seconds. Hundreds of configs, or one config with
 * thousands of resources, take a fifth less time with it.
 */
const flags = ["--wasm-lazy-validation", "--wasm-tiering-budget=100000000"] as const;

/**
 * A buffer for the whole engine. Node otherwise unpacks into buffers of 16 KiB, and spends as long
 * on joining them as on unpacking.
 */
const chunkSize = 64 << 20;

/**
 * Unpacks and compiles the engine. It takes about 90 ms, so the caller does other work at the same
 * time.
 */
export async function loadWasm(location: URL): Promise<WebAssembly.Module> {
  for (const flag of flags) setFlagsFromString(flag);
  const packed = await readFile(location);
  return WebAssembly.compile(await promisify(zstdDecompress)(packed, { chunkSize }));
}

/** Unpacks and compiles an engine within this thread. */
export function loadWasmNow(location: URL): WebAssembly.Module {
  for (const flag of flags) setFlagsFromString(flag);
  return new WebAssembly.Module(zstdDecompressSync(readFileSync(location), { chunkSize }));
}
