import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { listEntries } from "../../files/list-entries.ts";

/**
 * The time between two checks of a directory. It can exceed its limit by the data that arrives in
 * this time.
 */
const intervalMs = 200;

/**
 * Calls `onTooLarge` when `directory` contains more than `bytes`. The returned function stops
 * watching, after a last check.
 */
export function watchGrowth(
  directory: string,
  bytes: number,
  onTooLarge: () => void,
): () => Promise<void> {
  const check = async () => {
    if ((await directorySize(directory)) > bytes) onTooLarge();
  };
  let checking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    checking = check();
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    await checking;
    await check();
  };
}

/**
 * Returns the bytes of all files below a directory. It doesn't follow links. A file that disappears
 * during the walk counts as 0.
 */
export async function directorySize(directory: string): Promise<number> {
  const entries = listEntries(directory, { onUnreadable: () => undefined });
  const sizes = entries.map(({ parentPath, name }) =>
    lstat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
