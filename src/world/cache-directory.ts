import { join } from "node:path";

/**
 * Returns the cache directory, where a run stores results for later runs: $QVS_CACHE, or `qvs` in
 * the user's cache directory.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CACHE_HOME"] || join(env["HOME"] ?? "/tmp", ".cache");
  return env["QVS_CACHE"] || join(base, "qvs");
}

/** Returns the directory with the compilations of `compile` and `diff`. */
export function compilationsDirectory(env: NodeJS.ProcessEnv): string {
  return join(cacheDirectory(env), "compilations");
}
