import type { Problem } from "../../model/problems/problem.ts";

/**
 * Returns the problem of a failed write in a step. Either the disk of the runner is full, or a file
 * of the runner isn't at the path in its variable.
 */
export function notWritable(what: string, error: unknown): Problem {
  const { code, message } = error as NodeJS.ErrnoException;
  return {
    code: "output-not-writable",
    where: [],
    what: `${what}: ${code ?? message}`,
    fix: "Look whether the disk of the runner is full, leave GITHUB_OUTPUT, GITHUB_STEP_SUMMARY and RUNNER_TEMP as the runner has set them, and run the job again",
  };
}
