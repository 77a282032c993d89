import { UserError } from "../../model/problems/errors.ts";
import type { Fixes, Problem } from "../../model/problems/problem.ts";
import { removeCredentials } from "../../model/text/credentials.ts";
import type { GitAnswer } from "./run-git.ts";

/**
 * Returns the error of a git command that failed in the user's own repository. `doing` completes
 * "git can't …".
 */
export function gitError(doing: string, answer: GitAnswer): UserError {
  return new UserError([{ where: [], what: `git can't ${doing}`, ...explainCause(answer) }]);
}

type GitErrorCause = Pick<Problem, "code" | "why" | "facts" | "fix" | "otherwise">;

function explainCause({ stopped, stderr }: GitAnswer): GitErrorCause {
  switch (stopped) {
    case "not installed":
      return {
        code: "git-failed",
        why: "The program git can't be started",
        fix: "Install git, or add it to PATH",
      };
    case "too long":
      return {
        code: "git-failed",
        why: "git didn't finish in time",
        fix: "Run git fsck to check the repository",
      };
    case "too much":
    case "too large":
      return {
        code: "input-too-large",
        why: "The files are too large",
        fix: "Keep large files out of this directory",
      };
    case undefined:
      return {
        code: "git-failed",
        facts: [{ label: "answer", value: lastLine(stderr) }],
        ...(/promisor remote/.test(stderr)
          ? checkOutAll
          : { fix: "Run git status to check the repository" }),
      };
  }
}

/**
 * Returns the error for a file whose content the clone lacks, although it has the commit. The clone
 * is a partial one, or broken.
 */
export function notInClone(path: string): UserError {
  return new UserError([
    {
      code: "git-failed",
      where: [],
      what: `"${path}": this clone doesn't contain the content of the file`,
      ...checkOutAll,
    },
  ]);
}

const checkOutAll: Fixes = {
  fix: "Clone all files: remove `sparse-checkout` and `filter` from actions/checkout",
  otherwise: [
    "clone without --filter of git clone",
    "run git fsck, if the clone is supposed to be complete",
  ],
};

/** Returns the last error message of git, without credentials. */
export function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const fatal = lines.findLast((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1) ?? "";
  return removeCredentials(fatal.replace(/^(fatal|error): /, "")) || "git gave no reason";
}
