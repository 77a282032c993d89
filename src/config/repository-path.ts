/**
 * Resolves `path`, as written in `file`, to a path from the root of the repository, with `/`
 * between names and "" for the root. Returns undefined if it leads outside. `file` is relative to
 * the root too.
 */
export function resolveRepositoryPath(file: string, path: string): string | undefined {
  if (path.startsWith("/") || path.includes("\\") || /^[A-Za-z]:/.test(path)) return undefined;
  const names: string[] = [];
  for (const name of [...parentDirectory(file).split("/"), ...path.split("/")]) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join("/");
}

/** Returns the directory of a file; "" for the root. */
export function parentDirectory(file: string): string {
  const slash = file.lastIndexOf("/");
  return slash < 0 ? "" : file.slice(0, slash);
}
