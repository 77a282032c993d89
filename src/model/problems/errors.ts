import { failed, ok, type Position, type Problem, type Result } from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";
import { describeProblem } from "./problem-text.ts";

/** Something that a person can fix. Anything else that is thrown is a bug in qvs. */
export class UserError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => describeProblem(problem)).join("\n\n"));
    this.name = "UserError";
    this.problems = problems;
  }
}

/** A UserError with one problem that has no place in a file. */
export function userError(
  code: ProblemCode,
  what: string,
  fix: string,
  ...where: Position[]
): UserError {
  return new UserError([{ code, what, fix, where }]);
}

/** Whether something was thrown because the run was cancelled, which is not an error. */
export function isCancellation(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof Error && error.name === "AbortError";
}

/** What a port throws as a UserError, as a value: to be reported together with other problems. */
export async function catchProblems<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof UserError) return failed(error.problems);
    throw error;
  }
}
