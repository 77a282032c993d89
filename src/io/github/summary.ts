import { appendFileSync } from "node:fs";

/** Over 1 MiB GitHub drops a step's whole summary; this leaves room for what other steps of the job write. */
const maxSummaryBytes = 1_000_000;

/** Appends Markdown to the page of the run; without `GITHUB_STEP_SUMMARY` (outside of GitHub) it does nothing. */
export function writeSummary(markdown: string, path: string | undefined): void {
  if (path === undefined || path === "") return;
  appendFileSync(path, `${withinLimit(markdown)}\n`);
}

/** The renderer keeps to the limit; this is the net under it, on a line's end so that no character is cut. */
function withinLimit(markdown: string): string {
  if (Buffer.byteLength(markdown) <= maxSummaryBytes) return markdown;
  const start = Buffer.from(markdown)
    .subarray(0, maxSummaryBytes - 100)
    .toString("utf8");
  return `${start.slice(0, start.lastIndexOf("\n"))}\n\n**The rest is too long for this page.**`;
}
