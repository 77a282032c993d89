import { appendFileSync } from "node:fs";
import { md } from "../../redaction/markdown.ts";
import { cutLines } from "../../redaction/own-markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { annotate } from "./annotations.ts";
import { notWritable } from "./not-writable.ts";
import type { StepFiles } from "./step-files.ts";

/** Over 1 MiB GitHub drops a step's whole summary; this leaves room for what other steps of the job write. */
const maxSummaryBytes = 1_000_000;

/** Appends Markdown to the page of the run; without `GITHUB_STEP_SUMMARY` (outside of GitHub) it does nothing. */
export function writeSummary(markdown: Markdown, { env, sent }: StepFiles): void {
  const path = env.GITHUB_STEP_SUMMARY;
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, `${withinLimit(sent.hide(markdown))}\n`);
  } catch (error) {
    // Outputs and the merged pull requests come after it, and what was deployed is deployed.
    annotate([notWritable("The summary of the run can't be written", error)], "warning", "QVS");
  }
}

/** The renderer keeps to the limit; this is the net under it, on a line's end so that no character is cut. */
function withinLimit(markdown: Markdown): Markdown {
  if (Buffer.byteLength(markdown) <= maxSummaryBytes) return markdown;
  const { kept } = cutLines(markdown, Buffer.byteLength, maxSummaryBytes - 100);
  return md`${kept}\n\n**The rest is too long for this page.**`;
}
