/**
 * Where `path`, as written in `file`, leads: relative to the repository's root, `/` between names, "" for the root
 * itself. undefined when it leads outside. `file` is relative to the root too.
 */
export function resolveBeside(file: string, path: string): string | undefined {
  if (path.startsWith("/") || path.includes("\\") || /^[A-Za-z]:/.test(path)) return undefined;
  const names: string[] = [];
  for (const name of [...folderOf(file).split("/"), ...path.split("/")]) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join("/");
}

/** The folder that a file is in; "" for the root. */
export function folderOf(file: string): string {
  const slash = file.lastIndexOf("/");
  return slash < 0 ? "" : file.slice(0, slash);
}
