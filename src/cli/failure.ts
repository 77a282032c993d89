import { UserError } from "../errors.ts";
import type { Problem } from "../model/problem.ts";
import type { FindExcerpt } from "./excerpt.ts";
import { say } from "./say.ts";
import type { Output } from "./shell.ts";
import { showProblem } from "./show-problem.ts";

/** Exit codes (spec §9). */
export const exitCode = { done: 0, user: 1, changes: 2, interrupted: 130, bug: 70 } as const;

/** Says what went wrong and whose fault it is; only a bug of ours shows a stack. */
export function reportFailure(error: unknown, stream: Output, findExcerpt?: FindExcerpt): number {
  if (error instanceof UserError) {
    reportProblems(error.problems, stream, findExcerpt);
    return exitCode.user;
  }
  if (error instanceof Error && error.name === "AbortError") {
    stream.write("Interrupted. Nothing was changed.\n");
    return exitCode.interrupted;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  say(
    stream,
    `This is a bug in qvs, not a mistake of yours. Please report it with these lines:\n${stack}`,
  );
  return exitCode.bug;
}

/** What kept a command from changing anything: all of it together. */
export function reportProblems(
  problems: readonly Problem[],
  stream: Output,
  findExcerpt?: FindExcerpt,
): void {
  if (problems.length === 0) return;
  const count = problems.length > 1 ? `${problems.length} problems. ` : "";
  const shown = problems.map((problem) => showProblem(problem, stream, { findExcerpt }));
  stream.write(`${shown.join("\n\n")}\n\n${count}Nothing was changed.\n`);
}
