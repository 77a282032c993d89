import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

export interface WalkOptions {
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
