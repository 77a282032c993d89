import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";

/** Unpacks and compiles the engine: about 140 ms that the caller should spend on something else meanwhile. */
export async function loadWasm(location: URL): Promise<WebAssembly.Module> {
  const packed = await readFile(location);
  return WebAssembly.compile(await promisify(zstdDecompress)(packed));
}
