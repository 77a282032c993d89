import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { zstdDecompress } from "node:zlib";

/**
 * V8 would check all 18,000 functions when it gets them, instead of the few that are called when they are; and it would compile
 * what is called often a second time, in the background, at the cost of a short evaluation on two cores. The budget is
 * one that nothing uses up in the first seconds, while hundreds of configs, or one with thousands of resources, take a fifth
 * less time for it.
 */
const flags = ["--wasm-lazy-validation", "--wasm-tiering-budget=100000000"] as const;

/** Room for all of it: Node unpacks into buffers of 16 KiB otherwise, and spends as long on joining them as on unpacking. */
const chunkSize = 64 << 20;

/** Unpacks and compiles the engine: about 90 ms, best spent while something else is awaited. */
export async function loadWasm(location: URL): Promise<WebAssembly.Module> {
  for (const flag of flags) setFlagsFromString(flag);
  const packed = await readFile(location);
  return WebAssembly.compile(await promisify(zstdDecompress)(packed, { chunkSize }));
}
