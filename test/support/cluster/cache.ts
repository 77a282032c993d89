import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Returns the directory for built programs and for the state of a detached control plane:
 * `QVS_CACHE`, or the user's cache.
 */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.QVS_CACHE) return environment.QVS_CACHE;
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "qvs-action");
}
