import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { entriesBelow } from "../../files/entries-below.ts";

/** How often a directory is looked at: what arrives in between is the most by which it can grow beyond its limit. */
const intervalMs = 200;

/** Calls `onTooLarge` once when `directory` holds more than `bytes`. The answer stops watching, after a last look. */
export function watchGrowth(
  directory: string,
  bytes: number,
  onTooLarge: () => void,
): () => Promise<void> {
  const look = async () => {
    if ((await directorySize(directory)) > bytes) onTooLarge();
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = look();
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    await looking;
    await look();
  };
}

/** Bytes of all files below a directory, links not followed; what goes away meanwhile counts nothing. */
export async function directorySize(directory: string): Promise<number> {
  const entries = entriesBelow(directory, { onUnreadable: () => undefined });
  const sizes = entries.map(({ parentPath, name }) =>
    lstat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
