import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";

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
