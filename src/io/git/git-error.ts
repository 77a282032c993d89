import { type UserError, userError } from "../../errors.ts";
import { redact } from "./redact.ts";
import type { GitAnswer } from "./run-git.ts";

/** A git command failed on the user's own repository. */
export function gitError(doing: string, answer: GitAnswer): UserError {
  switch (answer.stopped) {
    case "not installed":
      return userError(`${doing}: git could not be started`, "Install git, or add it to PATH");
    case "too long":
      return userError(
        `${doing}: git did not finish in time`,
        "Check the repository with git fsck",
      );
    case "too much":
    case "too large":
      return userError(`${doing}: the files are too large`, "Keep large files out of this folder");
    case undefined:
      return userError(
        `${doing}: ${lastLine(answer.stderr)}`,
        "Check the repository with git status",
      );
  }
}

/** What git says is wrong, in its last words, without credentials. */
export function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const fatal = lines.findLast((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1) ?? "";
  return redact(fatal.replace(/^(fatal|error): /, "")) || "git gave no reason";
}
