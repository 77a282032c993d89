import { code } from "./markdown.ts";
import type { Outcome } from "./outcome.ts";
import { type OutcomeSize, outcomeSizes, renderOutcome } from "./outcome-section.ts";

const sectionStart = "<!-- qvs-action:outcome -->";
const sectionEnd = "<!-- /qvs-action:outcome -->";

/** GitHub refuses comments of more than 65,536 characters. */
const maxUnits = 65_000;
/** The comment's own first line stands above the section. */
const roomForMarker = 200;
/** GitHub drops a step summary above 1 MiB altogether; the preview may have to fit beside it. */
const maxSummaryBytes = 500_000;

/** What became of the merged pull request, for its comment, in the largest size that fits. */
export function renderOutcomes(
  outcomes: readonly Outcome[],
  commit: string,
  runUrl: string | undefined,
): string {
  const footer = footerOf(commit, runUrl);
  return largestFitting(outcomes, footer, (text) => text.length, maxUnits - roomForMarker);
}

/** The same with the room of a step summary. */
export function renderOutcomeSummary(
  outcomes: readonly Outcome[],
  commit: string,
  runUrl: string | undefined,
): string {
  const footer = footerOf(commit, runUrl);
  return largestFitting(outcomes, footer, (text) => Buffer.byteLength(text), maxSummaryBytes);
}

/**
 * The comment with the outcome under its marker, in the place of an earlier one. The preview below has served its purpose, so
 * it is what goes when both together are too long.
 */
export function withOutcome(body: string, section: string): string {
  const [marker = "", ...preview] = withoutOutcome(body).split("\n");
  const whole = `${marker}\n${section}\n\n${preview.join("\n").trimStart()}`;
  return whole.length <= maxUnits ? whole : `${marker}\n${section}\n`;
}

function withoutOutcome(body: string): string {
  const start = body.indexOf(sectionStart);
  const end = body.indexOf(sectionEnd);
  if (start < 0 || end < start) return body;
  return body.slice(0, start) + body.slice(end + sectionEnd.length).trimStart();
}

function footerOf(commit: string, runUrl: string | undefined): string {
  const run = runUrl === undefined ? "" : ` · [run](${runUrl})`;
  return `<sub>Commit ${code(commit.slice(0, 12))}${run}</sub>`;
}

function largestFitting(
  outcomes: readonly Outcome[],
  footer: string,
  measure: (text: string) => number,
  limit: number,
): string {
  const failuresFirst = outcomes.toSorted((a, b) => Number(a.succeeded) - Number(b.succeeded));
  for (const size of outcomeSizes) {
    const section = assemble(failuresFirst, footer, size);
    if (measure(section) <= limit) return section;
  }
  return assembleSome(failuresFirst, footer, measure, limit);
}

function assemble(outcomes: readonly Outcome[], footer: string, size: OutcomeSize): string {
  const shortened =
    size === "full" ? [] : ["<sub>Shortened; all of it is in the log of the run</sub>"];
  const parts = outcomes.map((outcome) => renderOutcome(outcome, size));
  return [sectionStart, ...parts, ...shortened, footer, "---", sectionEnd].join("\n\n");
}

/** The last resort, for hundreds of deployments: as many of them as there is room for. */
function assembleSome(
  outcomes: readonly Outcome[],
  footer: string,
  measure: (text: string) => number,
  limit: number,
): string {
  const more = (number: number) => `**${number} more deployments are in the log of the run.**`;
  let room = limit - measure(assemble([], footer, "counts")) - more(outcomes.length).length - 2;
  const fitting = outcomes.findIndex((outcome) => {
    room -= measure(renderOutcome(outcome, "counts")) + 2;
    return room < 0;
  });
  const shown = outcomes.slice(0, Math.max(0, fitting));
  return assemble(shown, `${more(outcomes.length - shown.length)}\n\n${footer}`, "counts");
}
