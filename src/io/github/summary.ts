import { appendFileSync } from "node:fs";
import { md } from "../../redaction/markdown.ts";
import { cutLines } from "../../redaction/own-markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { annotate } from "./annotations.ts";
import { notWritable } from "./not-writable.ts";
import type { StepFiles } from "./step-files.ts";

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
    annotate([notWritable("The summary of the run can't be written", error)], "warning", "QVS");
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
