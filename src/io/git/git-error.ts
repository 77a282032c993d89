import { type UserError, userError } from "../../model/problems/errors.ts";
import type { GitAnswer } from "./run-git.ts";

/** Returns the error of a git command that failed in the user's own repository. */
export function gitError(doing: string, answer: GitAnswer): UserError {
  switch (answer.stopped) {
    case "not installed":
      return userError(
        "git-failed",
        `${doing}: git could not be started`,
        "Install git, or add it to PATH",
      );
    case "too long":
      return userError(
        "git-failed",
        `${doing}: git did not finish in time`,
        "Check the repository with git fsck",
      );
    case "too much":
    case "too large":
      return userError(
        "input-too-large",
        `${doing}: the files are too large`,
        "Keep large files out of this folder",
      );
    case undefined:
      if (/promisor remote/.test(answer.stderr))
        return userError("git-failed", `${doing}: ${lastLine(answer.stderr)}`, checkOutAll);
      return userError(
        "git-failed",
        `${doing}: ${lastLine(answer.stderr)}`,
        "Check the repository with git status",
      );
  }
}

/**
 * Returns the error for a file whose content the clone lacks, although it has the commit. The clone
 * is a partial one, or broken.
 */
export function notInClone(path: string): UserError {
  return userError("git-failed", `The clone lacks the content of the file "${path}"`, checkOutAll);
}

const checkOutAll =
  "Clone all files: leave out `sparse-checkout` and `filter` of actions/checkout, or --filter of git clone. In a whole clone, look with git fsck";

/** Returns the last error message of git, without credentials. */
export function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const fatal = lines.findLast((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1) ?? "";
  return redact(fatal.replace(/^(fatal|error): /, "")) || "git gave no reason";
}

/** Removes the credentials that URLs and headers can contain. */
export function redact(text: string): string {
  return text
    .replace(/:\/\/[^\s/@]*@/g, "://")
    .replace(/(authorization:\s*)\S.*/gi, "$1***")
    .replace(/([?&](?:access_token|token|password|private_token)=)[^&\s'"]*/gi, "$1***");
}
