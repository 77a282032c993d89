import type { Position, Problem } from "./model/problem.ts";

/** Something that a person can put right. Anything else that is thrown is a bug of ours. */
export class UserError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join("\n\n"));
    this.name = "UserError";
    this.problems = problems;
  }
}

/** A UserError with one problem that has no place in a file. */
export function userError(what: string, fix: string, ...where: Position[]): UserError {
  return new UserError([{ what, fix, where }]);
}

/** `file:line:column: what` and the cure on a line of its own. */
export function describeProblem(problem: Problem): string {
  const [first, ...others] = problem.where.map((p) => `${p.file}:${p.line}:${p.column}`);
  const lines = [first === undefined ? problem.what : `${first}: ${problem.what}`];
  for (const other of others) lines.push(`  and ${other}`);
  lines.push(`  → ${problem.fix}`);
  return lines.join("\n");
}
