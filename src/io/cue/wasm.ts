import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { zstdDecompress } from "node:zlib";

/** Unpacks and compiles the engine, which the caller should have done while something else is awaited. */
export async function loadWasm(location: URL): Promise<WebAssembly.Module> {
  // Otherwise V8 checks 20,000 functions in advance, of which a compilation calls 4,000: 60 ms.
  setFlagsFromString("--wasm-lazy-validation");
  const packed = await readFile(location);
  return WebAssembly.compile(await promisify(zstdDecompress)(packed));
}
