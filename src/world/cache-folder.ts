import { join } from "node:path";

/** Where runs leave for later ones what they need not do twice: $QVS_CACHE, or the folder `qvs` of the user's caches. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CACHE_HOME"] || join(env["HOME"] ?? "/tmp", ".cache");
  return env["QVS_CACHE"] || join(base, "qvs");
}

/** What `compile` and `diff` have compiled. */
export function compilationsFolder(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), "compilations");
}
