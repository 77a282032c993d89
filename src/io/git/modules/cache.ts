import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directorySize } from "../../files/directories.ts";

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

/**
 * Returns the directory of a fetched commit: one small bare repository per commit.
 * A finished directory never changes, and qvs creates and deletes it in one step. Any number of
 * runs can therefore share the cache without locks.
 */
export function commitDirectory(cache: string, key: string, commit: string): string {
  const name = key.replace(/[^A-Za-z0-9]+/g, "-").slice(-60);
  return join(modulesDirectory(cache), `${name}-${shortDigest(key)}`, commit);
}

function modulesDirectory(cache: string): string {
  return join(cache, "modules");
}

function drafts(cache: string): string {
  return join(cache, "drafts");
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export async function isCached(directory: string): Promise<boolean> {
  return stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Reports whether the repository itself once resolved the revision to this commit. */
export async function wasResolved(directory: string, revision: string): Promise<boolean> {
  return stat(resolvedMarker(directory, revision)).then(
    () => true,
    () => false,
  );
}

export async function markResolved(directory: string, revision: string): Promise<void> {
  const file = resolvedMarker(directory, revision);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "");
}

/** Returns the marker of a revision, in the commit's own directory. qvs deletes both together. */
function resolvedMarker(directory: string, revision: string): string {
  return join(directory, "qvs-seen", shortDigest(revision));
}

/**
 * Updates the time of the last use, so that qvs doesn't prune the commit. A read-only cache works
 * too.
 */
export async function markUsed(directory: string): Promise<void> {
  const now = new Date();
  await utimes(directory, now, now).catch(() => {});
}

/**
 * Calls `fill` with a new directory for a repository. Deletes the directory afterwards, unless
 * `keep` has moved it to its place.
 */
export async function withDraft<T>(cache: string, fill: (draft: string) => Promise<T>): Promise<T> {
  const draft = join(drafts(cache), randomUUID());
  await mkdir(draft, { recursive: true });
  try {
    return await fill(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Moves a finished draft to its place. If another run was faster, its copy is just as good. */
export async function moveIntoPlace(draft: string, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  try {
    await rename(draft, directory);
  } catch (error) {
    if (!(await isCached(directory))) throw error;
  }
}

/** Removes a commit from the cache. It is absent at once, even if deleting its files takes long. */
export async function discard(cache: string, directory: string): Promise<void> {
  const discarded = join(drafts(cache), randomUUID());
  await mkdir(dirname(discarded), { recursive: true });
  // Another run might have removed it already.
  await rename(directory, discarded).catch(() => {});
  await rm(discarded, { recursive: true, force: true });
}
