import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Where the fetched commit of a repository is kept: one small bare repository per commit. A finished one never
 * changes and appears and disappears in one step, so any number of runs can share the cache without locks.
 */
export function cachedCommit(cache: string, key: string, commit: string): string {
  const name = key.replace(/[^A-Za-z0-9]+/g, "-").slice(-60);
  return join(cachedModules(cache), `${name}-${digestOf(key)}`, commit);
}

export function cachedModules(cache: string): string {
  return join(cache, "modules");
}

export function drafts(cache: string): string {
  return join(cache, "drafts");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export async function isCached(directory: string): Promise<boolean> {
  return stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Whether the repository itself once resolved the revision to this commit. */
export async function wasSeen(directory: string, revision: string): Promise<boolean> {
  return stat(seenFile(directory, revision)).then(
    () => true,
    () => false,
  );
}

export async function markSeen(directory: string, revision: string): Promise<void> {
  const file = seenFile(directory, revision);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "");
}

/** In the commit's own directory, to be deleted with it. */
function seenFile(directory: string, revision: string): string {
  return join(directory, "qvs-seen", digestOf(revision));
}

/** What was used lately is not pruned. A cache that may only be read serves as well. */
export async function markUsed(directory: string): Promise<void> {
  const now = new Date();
  await utimes(directory, now, now).catch(() => {});
}

/** Lets `fill` make a repository in a new directory, and removes it unless it was put in its place by `keep`. */
export async function withDraft<T>(cache: string, fill: (draft: string) => Promise<T>): Promise<T> {
  const draft = join(drafts(cache), randomUUID());
  await mkdir(draft, { recursive: true });
  try {
    return await fill(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Moves a finished draft to its place. Another run may have been faster: then its copy is as good. */
export async function keep(draft: string, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  try {
    await rename(draft, directory);
  } catch (error) {
    if (!(await isCached(directory))) throw error;
  }
}

/** Removes a commit from the cache: it is absent at once, however long deleting its files takes. */
export async function discard(cache: string, directory: string): Promise<void> {
  const away = join(drafts(cache), randomUUID());
  await mkdir(dirname(away), { recursive: true });
  // Another run may have taken it away in the meantime.
  await rename(directory, away).catch(() => {});
  await rm(away, { recursive: true, force: true });
}
