import type { Position } from "../../model/problem.ts";
import { shorten } from "../../redaction/graphemes.ts";
import {
  code,
  details,
  escapeHtml,
  escapeText,
  fenced,
  html,
  htmlCode,
  md,
  table,
} from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { labelOf, markOf, plural, summarise } from "../counts.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import { renderFindings } from "../findings.ts";
import { renderProblems } from "../problems.ts";
import type { Row } from "../rows.ts";
import { type ChangedParam, shortPattern, type Trace } from "../trace/trace.ts";
import type { DeploymentReport } from "./comment-input.ts";
import { renderOrder } from "./mermaid.ts";
import type { Section } from "./verdict.ts";

/** How much of the comment is written; each is shorter than the one before. Deletions are in all of them. */
export const sizes = ["full", "short diffs", "list", "counts"] as const;
export type Size = (typeof sizes)[number];

/** A diff of this many lines is shown open, as long as all open ones together stay within one screen. */
const smallDiff = 14;
const openLines = 42;
const shortDiff = 20;

/** `alone`: the verdict above names the only deployment already. */
export function renderSection(section: Section, size: Size, alone: boolean): Markdown {
  const { report, rows } = section;
  const parts = [
    alone ? md`` : md`### ${escapeText(report.deployment.name)}`,
    renderTarget(report),
    renderStops(report),
    renderRows(rows, size),
    size === "counts" || size === "list" ? md`` : renderGraph(report),
    size === "counts" || size === "list" ? md`` : renderDiffs(rows, size),
    size === "counts" ? md`` : renderNotices(report),
  ];
  return filled(parts, "\n\n");
}

/** Parts without those that say nothing. */
function filled(parts: readonly Markdown[], separator: "\n\n" | "<br>" | "\n"): Markdown {
  return joined(
    parts.filter((part) => part !== ""),
    separator,
  );
}

/** Where it goes and what it was compared with. */
function renderTarget(report: DeploymentReport): Markdown {
  const { deployment, clusterState, release } = report;
  const places = [
    code(deployment.config),
    ...(deployment.environment === undefined
      ? []
      : [md`environment ${code(deployment.environment)}`]),
    ...(deployment.context === undefined ? [] : [md`context ${code(deployment.context)}`]),
    md`namespace ${code(deployment.namespace)}`,
    ...(release === undefined ? [] : [md`now running release ${release}`]),
  ];
  const place = joined(places, " · ");
  if (clusterState.compared || report.head === undefined) return place;
  const because = escapeText(clusterState.because);
  const note = md`Not compared with the cluster because ${because}. What follows is the difference between the two commits.`;
  return md`${place}\n\n> [!NOTE]\n> ${note}`;
}

function renderStops(report: DeploymentReport): Markdown {
  const { problems, blockers, findings = [], orphanWarnings = [] } = report;
  const blocks = [
    problems.length > 0 ? md`**It does not compile:**\n\n${renderProblems(problems)}` : md``,
    blockers.length > 0 ? md`**It can't be deployed:**\n\n${renderProblems(blockers)}` : md``,
    findings.length > 0
      ? md`**What the cluster would do with it:**\n\n${renderFindings(findings)}`
      : md``,
    orphanWarnings.length > 0
      ? md`**After merging, these objects remain in the cluster:**\n\n${renderProblems(orphanWarnings)}`
      : md``,
  ];
  return filled(blocks, "\n\n");
}

function renderRows(rows: readonly Row[], size: Size): Markdown {
  const shown = size === "counts" ? rows.filter((row) => row.action === "delete") : rows;
  const rest = rows.length - shown.length;
  const cells = shown.map((row) => [
    labelOf(row.action),
    code(row.name),
    whyOf(row, size),
    escapeText(row.certainty),
  ]);
  const header = [md`Action`, md`Object`, md`Why`, md`Checked by`];
  const more = escapeText(plural(rest, "further change"));
  const parts = [
    shown.length > 0 ? table(header, cells) : md``,
    rest > 0 ? md`${more} (${escapeText(summarise(rows))} in all): see the run's summary.` : md``,
  ];
  return filled(parts, "\n\n");
}

function whyOf({ trace, note }: Row, size: Size): Markdown {
  const from = trace === undefined ? md`` : describeTrace(trace, size);
  return filled([note === undefined ? md`` : escapeText(note), from], "<br>");
}

function describeTrace({ patterns, line, changed, written }: Trace, size: Size): Markdown {
  const path = joined(
    patterns.map((pattern) => code(shortPattern(pattern))),
    " → ",
  );
  const params = size === "counts" ? [] : changed.map(describeParam);
  const places = size === "counts" ? [] : describePlaces(written);
  return joined([md`${path} (line ${line})`, ...params, ...places], "<br>");
}

const shownPlaces = 3;

function describePlaces(written: readonly Position[]): readonly Markdown[] {
  if (written.length === 0) return [];
  const places = written.slice(0, shownPlaces).map(({ file, line }) => code(`${file}:${line}`));
  const more = written.length > shownPlaces ? md` and ${written.length - shownPlaces} more` : md``;
  return [md`the adapter writes it differently: ${joined(places, ", ")}${more}`];
}

function describeParam({ name, before, after }: ChangedParam): Markdown {
  if (before === undefined && after === undefined) return md`${code(name)} changed`;
  if (before === undefined) return md`${code(name)} added: ${shown(after)}`;
  return after === undefined
    ? md`${code(name)} removed`
    : md`${code(name)}: ${shown(before)} → ${shown(after)}`;
}

function shown(value: ChangedParam["after"]): Markdown {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return code(shorten(text, 60, 57));
}

function renderGraph({ plan }: DeploymentReport): Markdown {
  const lines = plan === undefined ? undefined : renderOrder(plan);
  return lines === undefined ? md`` : details(html`Order of the changes`, fenced("mermaid", lines));
}

function renderDiffs(rows: readonly Row[], size: Size): Markdown {
  let open = openLines;
  const diffs = rows.flatMap(({ action, name, diff }) => {
    if (diff === undefined) return [];
    const small = diff.lines.length <= Math.min(smallDiff, open);
    if (small) open -= diff.lines.length;
    const summary = html`${escapeHtml(markOf(action))} ${htmlCode(name)} ${escapeHtml(sizeOf(diff))}`;
    return [details(summary, fenced("diff", cut(diff, size)), small)];
  });
  return joined(diffs, "\n");
}

function sizeOf({ added, removed }: TextDiff): string {
  return [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""]
    .filter((part) => part !== "")
    .join(" ");
}

function cut({ lines }: TextDiff, size: Size): readonly string[] {
  if (size === "full" || lines.length <= shortDiff) return lines;
  return [...lines.slice(0, shortDiff), `@@ ${lines.length - shortDiff} more lines @@`];
}

function renderNotices({ head, plan }: DeploymentReport): Markdown {
  const notices = [...(head?.warnings ?? []), ...(plan?.notices ?? [])];
  return notices.length === 0
    ? md``
    : details(escapeHtml(plural(notices.length, "notice")), renderProblems(notices));
}
