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
    what,
    facts: [{ label: "error", value: code ?? message }],
    fix: "Check that the runner's disk has free space, and run the job again",
    otherwise: ["leave GITHUB_OUTPUT, GITHUB_STEP_SUMMARY and RUNNER_TEMP as the runner set them"],
  };
}
