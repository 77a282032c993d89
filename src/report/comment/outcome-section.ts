import type { ObjectResult } from "../../model/deployments/release.ts";
import { nameFromKey } from "../../model/object.ts";
import { elapsedText } from "../../model/text/duration.ts";
import {
  blockQuote,
  code,
  codeBlock,
  details,
  escapeText,
  html,
  htmlCode,
  listItem,
  md,
  table,
} from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { shorten } from "../../redaction/wrap.ts";
import {
  aftermath,
  countResults,
  headline,
  type OutcomeReport,
  remarks,
} from "../outcome-report.ts";
import { plural } from "../text/counts.ts";
import { renderTimeline } from "./render-timeline.ts";

/**
 * The sizes of an outcome, each shorter than the one before. All have the headline and the counts.
 */
export const outcomeSizes = ["full", "failures", "first failures", "counts"] as const;
export type OutcomeSize = (typeof outcomeSizes)[number];

/** Optional parts, for which only a step summary has room. */
export interface OutcomeParts {
  readonly timeline?: boolean;
}

/** The limits of a shortened outcome. */
const firstRows = 50;
const firstEvidence = 5;
const firstLines = 20;
const firstCharacters = 500;

/**
 * Renders the outcome of one deployment: headline, counts, then the failures with their reasons.
 */
export function renderOutcome(
  outcome: OutcomeReport,
  size: OutcomeSize,
  also: OutcomeParts = {},
): Markdown {
  const mark = headlineMark(outcome);
  const parts = [
    md`## ${mark} ${escapeText(cut(headline(outcome), size))}`,
    renderAlert(outcome, size),
    ...renderRemarks(outcome, size),
    joined([...renderCounts(outcome), ...changedObjects(outcome.results, size)], "<br>"),
    size === "counts" ? md`` : renderResultsTable(outcome.results, size),
    ...(size === "counts" ? [] : renderEvidence(outcome, size)),
    also.timeline === true && size !== "counts" ? renderTimeline(outcome.timeline) : md``,
  ];
  return paragraphs(parts);
}

/** Returns `2 updated, 14 unchanged · 40 s`. */
function renderCounts({ results, timeline }: OutcomeReport): readonly Markdown[] {
  const counts = countResults(results);
  if (counts === "") return [];
  const took = timeline === undefined ? "" : ` · ${elapsedText(timeline.ended - timeline.began)}`;
  return [escapeText(`${counts}${took}`)];
}

/** Names the changed objects if there are only a few. */
function changedObjects(results: readonly ObjectResult[], size: OutcomeSize): readonly Markdown[] {
  const changed = results.filter(({ outcome }) => changes.has(outcome));
  if (changed.length === 0 || changed.length > maxNamedChanges || size !== "full") return [];
  return changed.map(
    ({ outcome, key }) => md`${escapeText(outcome)} ${code(cut(nameFromKey(key), size))}`,
  );
}

const changes: ReadonlySet<ObjectResult["outcome"]> = new Set([
  "created",
  "updated",
  "replaced",
  "deleted",
]);
const maxNamedChanges = 8;

/**
 * Renders the remarks. A short size keeps only the reason for a skipped run: the log has the rest.
 */
function renderRemarks(outcome: OutcomeReport, size: OutcomeSize): readonly Markdown[] {
  const isLong = size === "full" || size === "failures";
  const shown = isLong ? outcome : { ...outcome, notices: [] };
  return remarks(shown).map((line) => escapeText(cut(line, size)));
}

function headlineMark({ succeeded, superseded, gaveWay, removal }: OutcomeReport): Markdown {
  if (removal === "keep") return md`⚠️`;
  if (superseded !== undefined || gaveWay === true) return md`⏭️`;
  return succeeded ? md`✅` : md`🛑`;
}

function paragraphs(parts: readonly Markdown[]): Markdown {
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** Renders the failures, the state that they leave, and the ways back, for the person on call. */
function renderAlert(outcome: OutcomeReport, size: OutcomeSize): Markdown {
  const lines = [outcome.refusal, aftermath(outcome)].filter((line) => line !== undefined);
  const items = [
    ...failuresInBox(outcome.results).map(({ key, detail }) => {
      const why = detail === "" ? md`` : md`: ${escapeText(cut(detail, size))}`;
      return listItem(md`${code(cut(nameFromKey(key), size))} failed${why}`);
    }),
    ...lines.map((line) => listItem(escapeText(cut(line, size)))),
    ...(outcome.waysBack ?? []).map((way) => listItem(renderRollbackOption(cut(way, size)))),
  ];
  return items.length === 0 ? md`` : joined([md`> [!CAUTION]`, ...items.map(blockQuote)], "\n");
}

/** Puts the command of `To go back to release 7: qvs rollback …` into a fence, which copies. */
function renderRollbackOption(way: string): Markdown {
  const [, lead, command] = /^(.*?: )(qvs .+)$/.exec(way) ?? [];
  if (lead === undefined || command === undefined) return escapeText(way);
  return md`${escapeText(lead.trimEnd())}\n\n${codeBlock("sh", [command])}`;
}

/** Returns the failures for the box. More than a few fit only into the list of objects. */
function failuresInBox(results: readonly ObjectResult[]): readonly ObjectResult[] {
  const failed = results.filter(({ outcome }) => outcome === "failed");
  return failed.length <= maxFailuresInBox ? failed : [];
}

const maxFailuresInBox = 3;

/**
 * Lists the objects that failed or weren't attempted, failures first. The others are only counted.
 */
function renderResultsTable(results: readonly ObjectResult[], size: OutcomeSize): Markdown {
  const inBox = new Set(failuresInBox(results));
  const failed = results.filter((each) => each.outcome === "failed" && !inBox.has(each));
  const waiting = results.filter(({ outcome }) => outcome === "not attempted");
  const all = size === "full" ? [...failed, ...waiting] : failed;
  const listed = size === "first failures" ? all.slice(0, firstRows) : all;
  const rows = listed.map(({ outcome, key, detail }) => [
    renderOutcomeMark(outcome),
    code(cut(nameFromKey(key), size)),
    escapeText(cut(detail, size)),
  ]);
  const rest = failed.length + waiting.length - listed.length;
  return paragraphs([
    rows.length === 0 ? md`` : table([md`Outcome`, md`Object`, md`Why`], rows),
    rest === 0 ? md`` : md`Not listed here: ${escapeText(plural(rest, "more object"))}.`,
  ]);
}

function renderOutcomeMark(outcome: ObjectResult["outcome"]): Markdown {
  return outcome === "failed" ? md`🔴 failed` : md`⚪ not attempted`;
}

function renderEvidence({ evidence }: OutcomeReport, size: OutcomeSize): readonly Markdown[] {
  const isShort = size === "first failures";
  return evidence.slice(0, isShort ? firstEvidence : evidence.length).map((each) => {
    const lines = isShort ? each.publicLines.slice(0, firstLines) : each.publicLines;
    const shown = lines.map((line) => cut(line, size));
    return details(
      html`Why ${htmlCode(cut(nameFromKey(each.key), size))} failed`,
      codeBlock("text", shown),
      true,
    );
  });
}

function cut(text: string, size: OutcomeSize): string {
  return size === "full" || size === "failures" ? text : shorten(text, firstCharacters);
}
