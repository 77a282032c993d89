import { UserError, userError } from "../../model/problems/errors.ts";
import type { UnplacedProblem } from "../../model/problems/problem.ts";

/**
 * Returns the path without `.` and empty names, which git doesn't understand. Throws a UserError
 * for a path that qvs must not read.
 */
export function requireInside(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (path.startsWith("/") || path.includes("\0") || names.includes("..")) throw outsideError(path);
  if (names.some(isGitDirectory)) throw gitDirectoryError(path);
  return names.join("/");
}

/**
 * Reports whether a directory is git's own, which contains credentials. Some file systems treat
 * `.GIT` as the same directory.
 */
export function isGitDirectory(name: string): boolean {
  return name.toLowerCase() === ".git";
}

export function gitDirectoryError(path: string): UserError {
  return new UserError([
    {
      code: "path-outside-repository",
      where: [],
      what: `"${path}" is in git's own directory`,
      why: "qvs never reads this directory",
      fix: "Use a file of the application",
    },
  ]);
}

export function outsideError(path: string): UserError {
  return userError(
    "path-outside-repository",
    `"${path}" leads outside the repository`,
    "Use only files of the repository, and no links that lead outside it",
  );
}

export function outsideLinkProblem(path: string): UnplacedProblem {
  return {
    code: "path-outside-repository",
    what: `The link "${path}" leads outside the repository`,
    fix: "Replace the link with a file, or with a link to a file of the repository",
  };
}

export function missingDirectoryError(path: string): UserError {
  return new UserError([
    {
      code: "module-file-missing",
      where: [],
      what: `The repository has no directory "${path}" with CUE files`,
      fix: "Correct the path of the local module",
      otherwise: [
        "commit the directory, because the Action reads only committed files",
        "if it is in a submodule, name the submodule's repository and a revision: qvs reads no files of submodules",
      ],
    },
  ]);
}
