import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { joined } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import { alreadyWrittenText } from "../../report/outcome-report.ts";
import type { Output } from "../program/shell.ts";
import { print } from "./print.ts";
import { type FindExcerpt, showProblem } from "./show-problem.ts";

/** The exit codes (docs/reference/cli.md#exit-codes). */
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
  /** True if a plan stands above the errors. On a terminal, an empty line separates them. */
  readonly followsPlan?: boolean;
  /**
   * The extent of the changes, which the report mentions. Undefined for a command that only reads.
   */
  readonly changed?: "nothing" | "something" | undefined;
}

/** Reports an error and returns the exit code. Only a bug in qvs shows a stack trace. */
export function reportFailure(error: unknown, stream: Output, options: ReportOptions = {}): number {
  if (error instanceof UserError) {
    reportProblems(error.problems, stream, options);
    return exitCode.user;
  }
  if (error instanceof Error && error.name === "AbortError") {
    print(stream, ["Canceled.", ...changeStatement(options.changed)].join(" "));
    return exitCode.interrupted;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  print(stream, `This is a bug in qvs. Report it with these lines:\n${stack}`);
  return exitCode.bug;
}

function changeStatement(changed: ReportOptions["changed"]): readonly string[] {
  if (changed === undefined) return [];
  return [changed === "nothing" ? "Nothing was changed." : `${alreadyWrittenText}.`];
}

/** Reports all errors of a command together. */
export function reportProblems(
  problems: readonly Problem[],
  stream: Output,
  { findExcerpt, followsPlan, changed }: ReportOptions = {},
): void {
  if (problems.length === 0) return;
  const shown = problems.map((problem) => showProblem(problem, stream, { findExcerpt }));
  const above = followsPlan === true && stream.isTTY ? terminal`\n` : terminal``;
  stream.write(terminal`${above}${joined(shown, "\n\n")}\n`);
  const end = [
    ...(problems.length > 1 ? [`${problems.length} errors.`] : []),
    ...changeStatement(changed),
  ];
  if (end.length > 0) print(stream, `\n${end.join(" ")}`);
}
