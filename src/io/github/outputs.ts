import { setOutput } from "@actions/core";

/** Step outputs by the names of action.yml. Values are short: long content goes to a file, and its path is the output. */
export function writeOutputs(
  outputs: Readonly<Record<string, string | number | boolean | undefined>>,
): void {
  for (const [name, value] of Object.entries(outputs)) {
    if (value !== undefined) setOutput(name, String(value));
  }
}
