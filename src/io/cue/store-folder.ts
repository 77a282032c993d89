import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

const day = 24 * 60 * 60 * 1000;
/** Entries that nobody used for so long belong to adapters and params of the past. */
const maxAge = 30 * day;
/** A compilation is some kilobytes: tens of thousands of them. */
const maxBytes = 256 * 1024 * 1024;
/** Looking through the folder costs more than a compilation saves. */
const pruneEvery = day / 24;
const pruned = "pruned";
/** By a digest, or a draft of one. */
const isEntry = /^([0-9a-f]{64}|draft-.*)$/;

export async function makeFolder(folder: string): Promise<boolean> {
  return mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
}

/** Whether nobody else can have put something into it: on a machine with others, they would choose what we show. */
export async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const ownUser = process.getuid === undefined || found.uid === process.getuid();
  return ownUser && (found.mode & 0o022) === 0;
}

/** A file appears with all of its content or not at all, however many runs write it at the same time. */
export async function writeWhole(folder: string, name: string, content: Buffer): Promise<void> {
  const draft = join(folder, `draft-${randomUUID()}`);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, join(folder, name));
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Removes what was not used for a month, and beyond 256 MB what was not used for longest. At most once an hour. */
export async function pruneFolder(folder: string, now: number = Date.now()): Promise<void> {
  const marker = join(folder, pruned);
  const last = await stat(marker).catch(() => undefined);
  if (last !== undefined && now - last.mtimeMs < pruneEvery) return;
  await writeFile(marker, "").catch(() => {});
  await utimes(marker, now / 1000, now / 1000).catch(() => {});
  let bytes = 0;
  for (const { file, age, size } of await entriesOf(folder, now)) {
    bytes += size;
    if (age > maxAge || bytes > maxBytes) await rm(file, { force: true }).catch(() => {});
  }
}

/** Last used first. */
async function entriesOf(folder: string, now: number) {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => isEntry.test(name)).map((name) => join(folder, name));
  const found = await Promise.all(
    files.map(async (file) => {
      const { mtimeMs, size } = await stat(file).catch(() => ({ mtimeMs: now, size: 0 }));
      return { file, age: now - mtimeMs, size };
    }),
  );
  return found.sort((a, b) => a.age - b.age);
}
