import { describeFailures } from "../../apply/failure/describe-failures.ts";
import type { ReconcileOutcome } from "../../commands/reconcile.ts";
import { describeCorrection } from "../../deploying/describe-outcome.ts";
import { renderDriftText } from "../../report/drift/drift-text.ts";
import { outputLooks } from "../output/paint.ts";
import { print, printReport } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import { printProblem } from "../output/show-problem.ts";
import type { Shell } from "../shell.ts";

/** Prints the result of a correction. Returns the exit code. */
export function reportCorrection(done: ReconcileOutcome, { stdout, stderr }: Shell): number {
  if (done.type === "clean") {
    const clean = { ...done.drift, status: "clean", objects: [] } as const;
    stdout.write(renderDriftText([clean], outputLooks(stdout)));
    return exitCode.done;
  }
  stdout.write(renderDriftText([done.drift], outputLooks(stdout)));
  if (done.type === "superseded") {
    printProblem(stderr, done.why, "note");
    return exitCode.superseded;
  }
  const { plan, result, superseded } = done.outcome;
  for (const notice of plan.notices) printProblem(stderr, notice, "note");
  if (superseded === undefined && !result.succeeded)
    printReport(stderr, `\n${describeFailures(result, [])}`);
  print(stdout, describeCorrection(done.outcome));
  if (result.succeeded) return exitCode.done;
  if (superseded !== undefined) return exitCode.superseded;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}
