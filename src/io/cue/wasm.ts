import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { zstdDecompress } from "node:zlib";

/**
 * For one short evaluation, work on code that is about to end is wasted: V8 would check all 18,000 functions instead of
 * the few that are called, and compile these a second time in the background, which on two cores doubles the time of a
 * first compilation. Over dozens of compilations the optimised code would win some of that back.
 */
const forShortRuns = [
  "--wasm-lazy-validation",
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
] as const;

/** Room for all of it: Node unpacks into buffers of 16 KiB otherwise, and spends as long on joining them as on unpacking. */
const chunkSize = 64 << 20;

/** Unpacks and compiles the engine: about 90 ms, best spent while something else is awaited. */
export async function loadWasm(location: URL): Promise<WebAssembly.Module> {
  for (const flag of forShortRuns) setFlagsFromString(flag);
  const packed = await readFile(location);
  return WebAssembly.compile(await promisify(zstdDecompress)(packed, { chunkSize }));
}
