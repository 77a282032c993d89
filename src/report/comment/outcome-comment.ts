import { code, escapeText, link, md } from "../../redaction/markdown.ts";
import { splitLines } from "../../redaction/own-markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import type { Outcome } from "../outcome.ts";
import { approvalMarker, keeperMarker } from "./approval-line.ts";
import {
  type OutcomeParts,
  type OutcomeSize,
  outcomeSizes,
  renderOutcome,
} from "./outcome-section.ts";

const sectionStart = md`<!-- qvs-action:outcome -->`;
const sectionEnd = md`<!-- /qvs-action:outcome -->`;

/** GitHub refuses comments of more than 65,536 characters. */
const maxUnits = 65_000;
/** The comment's own first line stands above the section. */
const unitsForMarker = 200;
/** GitHub drops a step summary above 1 MiB altogether; the preview may have to fit beside it. */
const maxSummaryBytes = 500_000;

/** What became of the merged pull request, for its comment, in the largest size that fits. */
export function renderOutcomes(
  outcomes: readonly Outcome[],
  commit: string,
  runUrl: string | undefined,
  links: readonly OutcomeLink[] = [],
): Markdown {
  const footer = footerOf(commit, runUrl, links);
  return largestFitting(outcomes, footer, (text) => text.length, maxUnits - unitsForMarker);
}

/** The same with the room of a step summary. */
export function renderOutcomeSummary(
  outcomes: readonly Outcome[],
  commit: string,
  runUrl: string | undefined,
): Markdown {
  const footer = footerOf(commit, runUrl);
  const measure = (text: string) => Buffer.byteLength(text);
  return largestFitting(outcomes, footer, measure, maxSummaryBytes, { timeline: true });
}

/**
 * Returns the comment with the outcome under its marker, in place of an earlier one. The preview is folded
 * below it, and is left out if both together are too long.
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

/** Our marker, with the lines of what may be approved and of who keeps it, and the lines below. */
function splitHead(body: Markdown): {
  readonly head: Markdown;
  readonly rest: readonly Markdown[];
} {
  const lines = splitLines(body);
  const approved = lines[1]?.startsWith(approvalMarker) === true ? 2 : 1;
  const size = lines[approved]?.startsWith(keeperMarker) === true ? approved + 1 : approved;
  return { head: joined(lines.slice(0, size), "\n"), rest: lines.slice(size) };
}

/** A new preview below the outcome that the comment tells, if it tells one: a preview that is late must not take that away. */
export function keepOutcome(body: Markdown, preview: Markdown): Markdown {
  const lines = splitHead(body).rest;
  const end = lines[0] === sectionStart ? lines.indexOf(sectionEnd) : -1;
  return end < 0 ? preview : withOutcome(preview, joined(lines.slice(0, end + 1), "\n"));
}

/**
 * The lines of the preview. An outcome is above it and nowhere else: a value in the preview may look like its markers, and in comments
 * of older versions one may be a line like them.
 */
function withoutOutcome(lines: readonly Markdown[]): readonly Markdown[] {
  const end = lines[0] === sectionStart ? lines.indexOf(sectionEnd) : -1;
  const preview = lines.slice(end + 1);
  const start = preview.findIndex((line) => line.trim() !== "");
  return start < 0 ? [] : preview.slice(start);
}

/** Where a reader goes from the outcome. */
export interface OutcomeLink {
  readonly label: string;
  readonly url: string;
}

function footerOf(
  commit: string,
  runUrl: string | undefined,
  links: readonly OutcomeLink[] = [],
): Markdown {
  const run = runUrl === undefined ? [] : [{ label: "run", url: runUrl }];
  const all = [...run, ...links].map(({ label, url }) => md` · ${link(escapeText(label), url)}`);
  return md`<sub>Commit ${code(commit.slice(0, 12))}${joined(all, "")}</sub>`;
}

function largestFitting(
  outcomes: readonly Outcome[],
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
  outcomes: readonly Outcome[],
  footer: Markdown,
  size: OutcomeSize,
  also: OutcomeParts = {},
): Markdown {
  const shortened =
    size === "full" ? [] : [md`<sub>Shortened; all of it is in the log of the run</sub>`];
  const parts = outcomes.map((outcome) => renderOutcome(outcome, size, also));
  return joined([sectionStart, ...parts, ...shortened, footer, md`---`, sectionEnd], "\n\n");
}

/** The last resort, for hundreds of deployments: as many of them as there is room for. */
function assembleSome(
  outcomes: readonly Outcome[],
  footer: Markdown,
  measure: (text: string) => number,
  limit: number,
): Markdown {
  const more = (number: number) => md`**${number} more deployments are in the log of the run.**`;
  let remaining =
    limit - measure(assemble([], footer, "counts")) - more(outcomes.length).length - 2;
  const fitting = outcomes.findIndex((outcome) => {
    remaining -= measure(renderOutcome(outcome, "counts")) + 2;
    return remaining < 0;
  });
  const shown = outcomes.slice(0, Math.max(0, fitting));
  return assemble(shown, md`${more(outcomes.length - shown.length)}\n\n${footer}`, "counts");
}
