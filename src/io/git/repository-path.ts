import { type UserError, userError } from "../../model/problems/errors.ts";

/**
 * Returns the path without `.` and empty names, which git doesn't understand. Throws a UserError
 * for a path that qvs must not read.
 */
export function insideOnly(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (path.startsWith("/") || path.includes("\0") || names.includes("..")) throw outside(path);
  if (names.some(isGitFolder)) throw gitsOwn(path);
  return names.join("/");
}

/**
 * Reports whether a directory is git's own, which contains credentials. Some file systems treat
 * `.GIT` as the same directory.
 */
export function isGitFolder(name: string): boolean {
  return name.toLowerCase() === ".git";
}

export function gitsOwn(path: string): UserError {
  return userError(
    "path-outside-repository",
    `"${path}" is git's own and never read`,
    "Name a file of the application",
  );
}

export function outside(path: string): UserError {
  return userError(
    "path-outside-repository",
    `"${path}" leads outside the repository`,
    "Use files of the repository only, and no links that leave it",
  );
}

export function linkOutside(path: string): UserError {
  return userError(
    "path-outside-repository",
    `The link "${path}" leads outside the repository`,
    "Replace it with a file, or a link to a file of the repository",
  );
}

export function noFolder(path: string): UserError {
  return userError(
    "module-file-missing",
    `The repository has no folder "${path}" with CUE files`,
    "Correct the path of the local module; the Action reads only what is committed, and nothing of submodules: list the repository of one with a revision",
  );
}
