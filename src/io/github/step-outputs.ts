import { appendFileSync } from "node:fs";
import { setOutput } from "@actions/core";
import type { Problem } from "../../model/problems/problem.ts";
import { cutLines, md } from "../../redaction/markdown.ts";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { annotate } from "./annotations.ts";

/**
 * Returns the problem of a failed write in a step. Either the disk of the runner is full, or a file
 * of the runner isn't at the path in its variable.
 */
export function notWritable(what: string, error: unknown): Problem {
  const { code, message } = error as NodeJS.ErrnoException;
  return {
    code: "output-not-writable",
    where: [],
    what,
    facts: [{ label: "error", value: code ?? message }],
    fix: "Check that the runner's disk has free space, and run the job again",
    otherwise: ["leave GITHUB_OUTPUT, GITHUB_STEP_SUMMARY and RUNNER_TEMP as the runner set them"],
  };
}

/** The environment with the paths of a step's files, and the credentials that no file contains. */
export interface StepFiles {
  readonly env: NodeJS.ProcessEnv;
  readonly sent: SentSecrets;
}

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
    annotate([notWritable("The step's outputs can't be written", error)], "error", "QVS");
  }
}

/**
 * The maximum size of a summary. GitHub drops a step's whole summary above 1 MiB. This limit leaves
 * room for the output of other steps in the job.
 */
const maxSummaryBytes = 1_000_000;

/**
 * Appends Markdown to the page of the run. Without `GITHUB_STEP_SUMMARY` (outside GitHub), it does
 * nothing.
 */
export function writeSummary(markdown: Markdown, { env, sent }: StepFiles): void {
  const path = env.GITHUB_STEP_SUMMARY;
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, `${withinLimit(sent.hide(markdown))}\n`);
  } catch (error) {
    // A failure must not stop the step: it still writes outputs and updates merged pull requests,
    // and the deployment has already happened.
    annotate([notWritable("The run's summary can't be written", error)], "warning", "QVS");
  }
}

/**
 * Cuts a summary at the end of a line, so that no character is cut. This is only a safety net: the
 * renderer respects the limit.
 */
function withinLimit(markdown: Markdown): Markdown {
  if (Buffer.byteLength(markdown) <= maxSummaryBytes) return markdown;
  const { kept } = cutLines(markdown, Buffer.byteLength, maxSummaryBytes - 100);
  return md`${kept}\n\n**The rest is too long for this page.**`;
}
