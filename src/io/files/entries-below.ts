import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

export interface Walk {
  /** Whether a directory of this name is read; all are by default. */
  enters?(name: string): boolean;
  /** Called for each directory that can't be read. Without it, the error is thrown. */
  onUnreadable?(error: unknown): void;
}

/**
 * Returns all entries below a directory except directories, in the order of their paths. It enters no link: the directories of
 * Node's own recursion (`readdir` with `recursive`) have no end where two links lead back, and can be anywhere on the machine.
 */
export function entriesBelow(directory: string, walk: Walk = {}): readonly Dirent[] {
  const { enters = () => true } = walk;
  const found: Dirent[] = [];
  const left: (string | Dirent)[] = [directory];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "string" && !next.isDirectory()) found.push(next);
    else if (typeof next === "string" || enters(next.name)) {
      for (const entry of inReverse(next, walk)) left.push(entry);
    }
  }
  return found;
}

function inReverse(directory: string | Dirent, { onUnreadable }: Walk): readonly Dirent[] {
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
