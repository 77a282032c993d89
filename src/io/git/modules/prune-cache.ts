import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { discard, drafts, modulesDirectory } from "./cache.ts";
import { directorySize } from "./watch-growth.ts";

export interface CacheLimits {
  /** The maximum size of all commits together. */
  readonly bytes: number;
  /** The maximum time since the last use of a commit. */
  readonly ageMs: number;
}

const hour = 3_600_000;
const cacheLimits: CacheLimits = { bytes: 2 * 1024 ** 3, ageMs: 30 * 24 * hour };

/**
 * Removes commits that were unused for a long time, and then the oldest ones until the rest is
 * small enough.
 * It keeps all commits of the last hour, because another run might be reading them. It removes
 * drafts older than an hour, which belong to killed runs.
 */
export async function pruneCache(cache: string, limits: CacheLimits = cacheLimits): Promise<void> {
  const now = Date.now();
  for (const draft of await listCacheEntries(drafts(cache))) {
    if (now - draft.usedAt > hour) await rm(draft.path, { recursive: true, force: true });
  }
  const repositories = await listCacheEntries(modulesDirectory(cache));
  const found = await Promise.all(repositories.map(({ path }) => listCacheEntries(path)));
  const commits = found.flat().sort((a, b) => b.usedAt - a.usedAt);
  let remaining = limits.bytes;
  for (const { path, usedAt } of commits) {
    const age = now - usedAt;
    remaining -= await directorySize(path);
    if (age > hour && (age > limits.ageMs || remaining < 0)) await discard(cache, path);
  }
}

interface CacheEntry {
  readonly path: string;
  /** The time of the last use, in milliseconds since 1970. */
  readonly usedAt: number;
}

async function listCacheEntries(directory: string): Promise<readonly CacheEntry[]> {
  const names = await readdir(directory).catch(() => []);
  const entries = names.map(async (name): Promise<readonly CacheEntry[]> => {
    const path = join(directory, name);
    return stat(path).then(
      ({ mtimeMs }) => [{ path, usedAt: mtimeMs }],
      () => [],
    );
  });
  return (await Promise.all(entries)).flat();
}
