import { homedir } from "node:os";
import { join } from "node:path";

/** Where built programs and the state of a detached control plane are kept: `QVS_CACHE`, or the user's cache. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.QVS_CACHE) return environment.QVS_CACHE;
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "qvs-action");
}
