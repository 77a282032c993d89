import { setOutput } from "@actions/core";
import { annotate } from "./annotations.ts";
import { notWritable } from "./not-writable.ts";
import type { StepFiles } from "./step-files.ts";

/**
 * Step outputs by the names of action.yml. Values are short: long content goes to a file, and its path is the output. Where they can't be
 * written the step fails, after all else: what comes after an output, such as the comment of a merged pull request, is still told.
 */
export function writeOutputs(
  outputs: Readonly<Record<string, string | number | boolean | undefined>>,
  { sent }: Pick<StepFiles, "sent">,
): void {
  try {
    for (const [name, value] of Object.entries(outputs)) {
      if (value !== undefined) setOutput(name, sent.hide(String(value)));
    }
  } catch (error) {
    process.exitCode = 1;
    annotate([notWritable("The outputs of the step can't be written", error)], "error", "QVS");
  }
}
