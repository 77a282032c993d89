import type { Problem } from "../../model/problems/problem.ts";

/** What a runner does not let a step write: its disk is full, or a file of the runner is not where its variable says. */
export function notWritable(what: string, error: unknown): Problem {
  const { code, message } = error as NodeJS.ErrnoException;
  return {
    code: "output-not-writable",
    where: [],
    what: `${what}: ${code ?? message}`,
    fix: "Look whether the disk of the runner is full, leave GITHUB_OUTPUT, GITHUB_STEP_SUMMARY and RUNNER_TEMP as the runner has set them, and run the job again",
  };
}
