import { lstat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * Throws a UserError if a part of one of `paths` in `folder` is a symbolic link or has the wrong
 * type.
 * If the folder is inside `directory`, the parts of its own path count too. All of them can come
 * from an untrusted repository.
 */
export async function rejectLinks(
  directory: string,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  const inside = relative(directory, folder);
  const isInside = inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`);
  const above = isInside ? pathPrefixes(inside).map((step) => join(directory, step)) : [];
  const folders = new Set([
    ...above,
    ...paths.flatMap((path) => pathPrefixes(dirname(path)).map((step) => join(folder, step))),
  ]);
  const files = new Set(paths.map((path) => join(folder, path)));
  const problems = [
    ...(await Promise.all([...folders].map((path) => pathProblem(path, "directory")))),
    ...(await Promise.all([...files].map((path) => pathProblem(path, "file")))),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new UserError(problems);
}

/** Returns all prefixes of a path: `a/b/c` → `a`, `a/b`, `a/b/c`. */
function pathPrefixes(path: string): readonly string[] {
  if (path === ".") return [];
  const names = path.split(sep);
  return names.map((_, index) => names.slice(0, index + 1).join(sep));
}

const otherFolder = "choose another directory with --output";

async function pathProblem(
  path: string,
  expected: "directory" | "file",
): Promise<Problem | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) {
    return {
      code: "output-not-writable",
      where: [],
      what: `"${path}" is a symbolic link`,
      why: "qvs doesn't write through links",
      fix: "Remove the link",
      otherwise: [otherFolder],
    };
  }
  if (expected === "directory" ? found.isDirectory() : found.isFile()) return undefined;
  return {
    code: "output-not-writable",
    where: [],
    what: `"${path}" isn't a ${expected}`,
    fix: "Remove it",
    otherwise: [otherFolder],
  };
}
