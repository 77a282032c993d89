import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Where the fetched commit of a repository is kept: one small bare repository per commit. A finished one never
 * changes and appears in one step, so any number of runs can share the cache without locks.
 */
export function cachedCommit(cache: string, key: string, commit: string): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 12);
  const name = key.replace(/[^A-Za-z0-9]+/g, "-").slice(-60);
  return join(cache, "modules", `${name}-${digest}`, commit);
}

export async function isCached(directory: string): Promise<boolean> {
  return stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Lets `fill` make a repository in a new directory, and removes it unless it was put in its place by `keep`. */
export async function withDraft<T>(cache: string, fill: (draft: string) => Promise<T>): Promise<T> {
  const draft = join(cache, "drafts", randomUUID());
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
