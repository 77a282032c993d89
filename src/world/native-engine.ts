import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The directory of native engines, in the same package or clone as the program. qvs never looks for
 * an engine in the directory where it runs, which others can write to.
 */
const directory = import.meta.url.endsWith(".ts")
  ? new URL("../../native/", import.meta.url)
  : new URL("../native/", import.meta.url);

/**
 * Returns the path of the native engine for this machine. Returns undefined if there is none, or if
 * QVS_ENGINE is `wasm`.
 */
export function nativeEngine(env: NodeJS.ProcessEnv): string | undefined {
  if (env["QVS_ENGINE"] === "wasm") return undefined;
  const path = fileURLToPath(new URL(`${process.platform}-${process.arch}/qvs-engine`, directory));
  return existsSync(path) ? path : undefined;
}
