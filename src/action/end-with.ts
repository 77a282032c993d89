import { isCancellation } from "../commands/is-cancellation.ts";
import { UserError } from "../errors.ts";
import { annotate } from "../io/github/annotations.ts";
import { logLines } from "../io/github/log.ts";

/** Fails the step for what people can put right, or did themselves by cancelling. Anything else is thrown on as a bug. */
export function endWith(error: unknown, signal: AbortSignal): void {
  if (isCancellation(error, signal)) logLines("The run was cancelled. Nothing was changed.");
  else if (!(error instanceof UserError)) throw error;
  else {
    logLines(error.message);
    annotate(error.problems, "error", "QVS");
  }
  process.exitCode = 1;
}
