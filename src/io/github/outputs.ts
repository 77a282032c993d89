import { setOutput } from "@actions/core";
import { annotate } from "./annotations.ts";
import { notWritable } from "./not-writable.ts";
import type { StepFiles } from "./step-files.ts";

/**
 * Writes the step outputs, with the names of action.yml. Values are short: long content is in a
 * file, and the output is its path.
 * If a write fails, the step fails at its end. Later work still happens, such as the comment on a
 * merged pull request.
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
