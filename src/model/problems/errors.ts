import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  type UnplacedProblem,
} from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";
import { describeProblem } from "./problem-text.ts";

/** An error that a user can fix. Every other exception is a bug in qvs. */
export class UserError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => describeProblem(problem)).join("\n\n"));
    this.name = "UserError";
    this.problems = problems;
  }
}

/** Returns a UserError with one problem. */
export function userError(
  code: ProblemCode,
  what: string,
  fix: string,
  ...where: Position[]
): UserError {
  return new UserError([{ code, what, fix, where }]);
}

/** Returns a UserError with a problem whose place the caller adds, if it knows one. */
export function unplacedError(problem: UnplacedProblem): UserError {
  return new UserError([{ ...problem, where: [] }]);
}

/** Reports whether an exception comes from the cancellation of the run, which is not an error. */
export function isCancellation(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof Error && error.name === "AbortError";
}

/**
 * Runs `work` and returns the errors of a UserError, so that a caller can report several together.
 */
export async function catchProblems<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof UserError) return failed(error.problems);
    throw error;
  }
}
