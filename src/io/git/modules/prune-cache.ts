import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cachedModules, discard, drafts } from "./cache.ts";
import { directorySize } from "./watch-growth.ts";

export interface CacheLimits {
  /** Of all commits together. */
  readonly bytes: number;
  /** Since a commit was last used. */
  readonly ageMs: number;
}

const hour = 3_600_000;
const cacheLimits: CacheLimits = { bytes: 2 * 1024 ** 3, ageMs: 30 * 24 * hour };

/**
 * Removes commits that nobody has used for long, then the oldest until the rest is small enough, but none of the last
 * hour: another run may be reading it. Drafts that are older than that belong to runs that were killed.
 */
export async function pruneCache(cache: string, limits: CacheLimits = cacheLimits): Promise<void> {
  const now = Date.now();
  for (const draft of await entriesOf(drafts(cache))) {
    if (now - draft.usedAt > hour) await rm(draft.path, { recursive: true, force: true });
  }
  const repositories = await entriesOf(cachedModules(cache));
  const found = await Promise.all(repositories.map(({ path }) => entriesOf(path)));
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
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

async function entriesOf(directory: string): Promise<readonly CacheEntry[]> {
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
