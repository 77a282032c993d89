import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { joined } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import type { Output } from "../shell.ts";
import type { FindExcerpt } from "./excerpt.ts";
import { print } from "./print.ts";
import { showProblem } from "./show-problem.ts";

/** Exit codes (docs/reference/commands.md#exit-codes). */
export const exitCode = {
  done: 0,
  user: 1,
  changes: 2,
  superseded: 3,
  interrupted: 130,
  bug: 70,
} as const;

/** Reports what went wrong and whether it is a bug; only a bug in qvs shows a stack trace. */
export function reportFailure(error: unknown, stream: Output, findExcerpt?: FindExcerpt): number {
  if (error instanceof UserError) {
    reportProblems(error.problems, stream, findExcerpt);
    return exitCode.user;
  }
  if (error instanceof Error && error.name === "AbortError") {
    stream.write(terminal`Interrupted. Nothing was changed.\n`);
    return exitCode.interrupted;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  print(
    stream,
    `This is a bug in qvs, not a mistake of yours. Please report it with these lines:\n${stack}`,
  );
  return exitCode.bug;
}

/** All problems that kept a command from changing anything, together. */
export function reportProblems(
  problems: readonly Problem[],
  stream: Output,
  findExcerpt?: FindExcerpt,
): void {
  if (problems.length === 0) return;
  const count = problems.length > 1 ? terminal`${problems.length} problems. ` : terminal``;
  const shown = problems.map((problem) => showProblem(problem, stream, { findExcerpt }));
  stream.write(terminal`${joined(shown, "\n\n")}\n\n${count}Nothing was changed.\n`);
}
