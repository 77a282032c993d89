import { type Dirent, readdirSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";

interface WalkOptions {
  /** Reports whether to read a directory. Default: all directories. */
  enters?(name: string, parentPath: string): boolean;
  /**
   * Receives the error of each directory that can't be read. Without this function, the error is
   * thrown.
   */
  onUnreadable?(error: unknown): void;
}

/**
 * Returns all entries below a directory except directories, in the order of their paths. It enters
 * no link.
 * Node's own recursion (`readdir` with `recursive`) never ends if two links lead back. It can also
 * reach any directory of the machine.
 */
export function listEntries(directory: string, walk: WalkOptions = {}): readonly Dirent[] {
  const { enters = () => true } = walk;
  const found: Dirent[] = [];
  const left: (string | Dirent)[] = [directory];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "string" && !next.isDirectory()) found.push(next);
    else if (typeof next === "string" || enters(next.name, next.parentPath)) {
      for (const entry of readReversed(next, walk)) left.push(entry);
    }
  }
  return found;
}

function readReversed(
  directory: string | Dirent,
  { onUnreadable }: WalkOptions,
): readonly Dirent[] {
  const path =
    typeof directory === "string" ? directory : join(directory.parentPath, directory.name);
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? 1 : -1));
  } catch (error) {
    if (onUnreadable === undefined) throw error;
    onUnreadable(error);
    return [];
  }
}

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
