import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "./processes.ts";

/**
 * Runs `work` with the lock file, which contains this process's pid. A lock whose process has ended
 * counts as free.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await acquire(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string): Promise<void> {
  for (let waited = 0; !(await create(path)); waited++) {
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if (holder > 0 && !isRunning(holder)) await discard(path);
    if (waited === 0) process.stderr.write(`Waiting for process ${holder}, which holds ${path}\n`);
    await sleep(200);
  }
}

async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Renames a stale lock. If two processes find the same one, only one of them succeeds. */
async function discard(path: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
}
