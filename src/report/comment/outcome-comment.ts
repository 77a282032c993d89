import { code, escapeText, link, md, splitLines } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import type { OutcomeReport } from "../outcome-report.ts";
import { approvalMarker, ownerMarker } from "./approval-line.ts";
import {
  type OutcomeParts,
  type OutcomeSize,
  outcomeSizes,
  renderOutcome,
} from "./outcome-section.ts";

const sectionStart = md`<!-- qvs-action:outcome -->`;
const sectionEnd = md`<!-- /qvs-action:outcome -->`;

/** GitHub rejects comments of more than 65,536 characters. */
const maxUnits = 65_000;
/** The room for the first line of the comment, which is above the section. */
const unitsForMarker = 200;
/** GitHub drops a step summary of more than 1 MiB. The difference leaves room for a preview. */
const maxSummaryBytes = 500_000;

/**
 * Renders the outcomes for the comment on the merged pull request, in the largest size that fits.
 */
export function renderOutcomes(
  outcomes: readonly OutcomeReport[],
  commit: string,
  runUrl: string | undefined,
  links: readonly OutcomeLink[] = [],
): Markdown {
  const footer = renderOutcomeFooter(commit, runUrl, links);
  return largestFitting(outcomes, footer, (text) => text.length, maxUnits - unitsForMarker);
}

/** Renders the outcomes in the largest size that fits into a step summary. */
export function renderOutcomeSummary(
  outcomes: readonly OutcomeReport[],
  commit: string,
  runUrl: string | undefined,
): Markdown {
  const footer = renderOutcomeFooter(commit, runUrl);
  const measure = (text: string) => Buffer.byteLength(text);
  return largestFitting(outcomes, footer, measure, maxSummaryBytes, { timeline: true });
}

/**
 * Returns the comment with the outcome below its marker, in place of an earlier outcome.
 * The preview is folded below it. It is left out if both together are too long.
 */
export function withOutcome(body: Markdown, section: Markdown): Markdown {
  const { head, rest } = splitHead(body);
  const whole = md`${head}\n${section}\n\n${folded(withoutOutcome(rest))}`;
  if (whole.length <= maxUnits) return whole;
  const withApprovals = md`${head}\n${section}\n`;
  const [marker = md``] = splitLines(head);
  return withApprovals.length <= maxUnits ? withApprovals : md`${marker}\n${section}\n`;
}

const foldStart = md`<details><summary>Preview</summary>`;

/** Folds the lines of a preview, unless an earlier outcome has folded them. */
function folded(preview: readonly Markdown[]): Markdown {
  const last = preview.findLastIndex((line) => line.trim() !== "");
  if (last < 0 || preview[0] === foldStart) return joined(preview, "\n");
  return md`${foldStart}\n\n${joined(preview.slice(0, last + 1), "\n")}\n\n</details>\n`;
}

/**
 * Splits a comment into its marker lines and the lines below them.
 * The marker lines include the approvals and the workflow that updates the comment.
 */
function splitHead(body: Markdown): {
  readonly head: Markdown;
  readonly rest: readonly Markdown[];
} {
  const lines = splitLines(body);
  const approved = lines[1]?.startsWith(approvalMarker) === true ? 2 : 1;
  const size = lines[approved]?.startsWith(ownerMarker) === true ? approved + 1 : approved;
  return { head: joined(lines.slice(0, size), "\n"), rest: lines.slice(size) };
}

/**
 * Adds the outcome of the old comment, if any, to a new preview. A late preview must not remove it.
 */
export function keepOutcome(body: Markdown, preview: Markdown): Markdown {
  const lines = splitHead(body).rest;
  const end = lines[0] === sectionStart ? lines.indexOf(sectionEnd) : -1;
  return end < 0 ? preview : withOutcome(preview, joined(lines.slice(0, end + 1), "\n"));
}

/**
 * Returns the lines of the preview.
 * Only the top of a comment can have an outcome. A value in the preview can look like its markers.
 * In comments of older versions, a whole line can look like them.
 */
function withoutOutcome(lines: readonly Markdown[]): readonly Markdown[] {
  const end = lines[0] === sectionStart ? lines.indexOf(sectionEnd) : -1;
  const preview = lines.slice(end + 1);
  const start = preview.findIndex((line) => line.trim() !== "");
  return start < 0 ? [] : preview.slice(start);
}

/** A link from the outcome to further information. */
export interface OutcomeLink {
  readonly label: string;
  readonly url: string;
}

function renderOutcomeFooter(
  commit: string,
  runUrl: string | undefined,
  links: readonly OutcomeLink[] = [],
): Markdown {
  const run = runUrl === undefined ? [] : [{ label: "run", url: runUrl }];
  const all = [...run, ...links].map(({ label, url }) => md` · ${link(escapeText(label), url)}`);
  return md`<sub>Commit ${code(commit.slice(0, 12))}${joined(all, "")}</sub>`;
}

function largestFitting(
  outcomes: readonly OutcomeReport[],
  footer: Markdown,
  measure: (text: string) => number,
  limit: number,
  parts: OutcomeParts = {},
): Markdown {
  const failuresFirst = outcomes.toSorted((a, b) => Number(a.succeeded) - Number(b.succeeded));
  for (const size of outcomeSizes) {
    const section = assemble(failuresFirst, footer, size, parts);
    if (measure(section) <= limit) return section;
  }
  return assembleSome(failuresFirst, footer, measure, limit);
}

function assemble(
  outcomes: readonly OutcomeReport[],
  footer: Markdown,
  size: OutcomeSize,
  also: OutcomeParts = {},
): Markdown {
  const shortened = size === "full" ? [] : [md`<sub>Shortened; full text in the run's log</sub>`];
  const parts = outcomes.map((outcome) => renderOutcome(outcome, size, also));
  return joined([sectionStart, ...parts, ...shortened, footer, md`---`, sectionEnd], "\n\n");
}

/** Renders as many deployments as fit. The last resort, for hundreds of deployments. */
function assembleSome(
  outcomes: readonly OutcomeReport[],
  footer: Markdown,
  measure: (text: string) => number,
  limit: number,
): Markdown {
  const more = (number: number) => md`**${number} more deployments are in the run's log.**`;
  let remaining =
    limit - measure(assemble([], footer, "counts")) - more(outcomes.length).length - 2;
  const fitting = outcomes.findIndex((outcome) => {
    remaining -= measure(renderOutcome(outcome, "counts")) + 2;
    return remaining < 0;
  });
  const shown = outcomes.slice(0, Math.max(0, fitting));
  return assemble(shown, md`${more(outcomes.length - shown.length)}\n\n${footer}`, "counts");
}
