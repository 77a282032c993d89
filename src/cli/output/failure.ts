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

export interface ReportOptions {
  readonly findExcerpt?: FindExcerpt | undefined;
  /** Whether the command might have changed something: then it says that it has not. */
  readonly mayChange?: boolean;
}

/** Reports what went wrong and whether it is a bug; only a bug in qvs shows a stack trace. */
export function reportFailure(error: unknown, stream: Output, options: ReportOptions = {}): number {
  if (error instanceof UserError) {
    reportProblems(error.problems, stream, options);
    return exitCode.user;
  }
  if (error instanceof Error && error.name === "AbortError") {
    const unchanged = options.mayChange === true ? ` ${nothingChanged}` : "";
    print(stream, `Cancelled.${unchanged}`);
    return exitCode.interrupted;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  print(
    stream,
    `This is a bug in qvs, not a mistake of yours. Please report it with these lines:\n${stack}`,
  );
  return exitCode.bug;
}

const nothingChanged = "Nothing was changed.";

/** All problems that kept a command from doing its work, together. */
export function reportProblems(
  problems: readonly Problem[],
  stream: Output,
  { findExcerpt, mayChange = false }: ReportOptions = {},
): void {
  if (problems.length === 0) return;
  const shown = problems.map((problem) => showProblem(problem, stream, { findExcerpt }));
  stream.write(terminal`${joined(shown, "\n\n")}\n`);
  const end = [
    ...(problems.length > 1 ? [`${problems.length} problems.`] : []),
    ...(mayChange ? [nothingChanged] : []),
  ];
  if (end.length > 0) print(stream, `\n${end.join(" ")}`);
}
