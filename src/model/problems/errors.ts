import {
  curesOf,
  failed,
  inputsOf,
  ok,
  type Position,
  type Problem,
  type Result,
} from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";

/** Something that a person can fix. Anything else that is thrown is a bug in qvs. */
export class UserError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join("\n\n"));
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

/** `file:line:column: what`, and the fix and what could be done instead on lines of their own. */
export function describeProblem(problem: Problem): string {
  const [first, ...others] = problem.where.map((p) => `${p.file}:${p.line}:${p.column}`);
  const lines = [first === undefined ? problem.what : `${first}: ${problem.what}`];
  for (const other of others) lines.push(`  and ${other}`);
  lines.push(`  → ${curesOf(problem).join("\n    ")}`);
  return lines.join("\n");
}

/** The same for whoever has a workflow and no command: with the inputs that do what the flags of the cures do. */
export function describeOnGitHub(problem: Problem): string {
  const where = problem.where.map(inInput);
  const lines = inputsOf(problem).map((line) => `    ${line}`);
  return [describeProblem({ ...problem, where }), ...lines].join("\n");
}

/** What `--param NAME=VALUE` gives, an input gives on GitHub. */
function inInput({ file, ...place }: Position): Position {
  return { ...place, file: file.replace(/^--(\S+) /, "input $1, ") };
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
