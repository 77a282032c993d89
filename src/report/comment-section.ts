import type { Position } from "../model/problem.ts";
import type { DeploymentReport } from "./comment-input.ts";
import { labelOf, markOf, plural, summarise } from "./counts.ts";
import { code, details, escapeHtml, escapeText, fenced, htmlCode, table } from "./markdown.ts";
import { renderOrder } from "./mermaid.ts";
import { renderProblems } from "./problems.ts";
import type { Row } from "./rows.ts";
import type { TextDiff } from "./text-diff.ts";
import { type ChangedParam, shortPattern, type Trace } from "./trace.ts";
import type { Section } from "./verdict.ts";

/** How much of the comment is written; each is shorter than the one before. Deletions are in all of them. */
export const sizes = ["full", "short diffs", "list", "counts"] as const;
export type Size = (typeof sizes)[number];

/** A diff of this many lines is shown open, as long as all open ones together stay within one screen. */
const smallDiff = 14;
const openLines = 42;
const shortDiff = 20;

/** `alone`: the verdict above names the only deployment already. */
export function renderSection(section: Section, size: Size, alone: boolean): string {
  const { report, rows } = section;
  const parts = [
    alone ? "" : `### ${escapeText(report.deployment.name)}`,
    renderTarget(report),
    renderStops(report),
    renderRows(rows, size),
    size === "counts" || size === "list" ? "" : renderGraph(report),
    size === "counts" || size === "list" ? "" : renderDiffs(rows, size),
    size === "counts" ? "" : renderNotices(report),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Where it goes and what it was compared with. */
function renderTarget(report: DeploymentReport): string {
  const { deployment, clusterState, release } = report;
  const place = [
    code(deployment.config),
    ...(deployment.environment === undefined
      ? []
      : [`environment ${code(deployment.environment)}`]),
    ...(deployment.context === undefined ? [] : [`context ${code(deployment.context)}`]),
    `namespace ${code(deployment.namespace)}`,
    ...(release === undefined ? [] : [`now running release ${release}`]),
  ].join(" · ");
  if (clusterState.compared || report.head === undefined) return place;
  const because = escapeText(clusterState.because);
  const note = `Not compared with the cluster because ${because}. What follows is the difference between the two commits.`;
  return `${place}\n\n> [!NOTE]\n> ${note}`;
}

function renderStops(report: DeploymentReport): string {
  const { problems, planProblems, findings = [], leftBehind = [] } = report;
  const blocks = [
    problems.length > 0 ? `**It does not compile:**\n\n${renderProblems(problems)}` : "",
    planProblems.length > 0 ? `**It can't be deployed:**\n\n${renderProblems(planProblems)}` : "",
    findings.length > 0
      ? `**What the cluster would do with it:**\n\n${renderProblems(findings)}`
      : "",
    leftBehind.length > 0 ? `**Merging leaves this behind:**\n\n${renderProblems(leftBehind)}` : "",
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function renderRows(rows: readonly Row[], size: Size): string {
  const shown = size === "counts" ? rows.filter((row) => row.action === "delete") : rows;
  const rest = rows.length - shown.length;
  const cells = shown.map((row) => [
    labelOf(row.action),
    code(row.name),
    whyOf(row, size),
    escapeText(row.certainty),
  ]);
  return [
    shown.length > 0 ? table(["Action", "Object", "Why", "Checked by"], cells) : "",
    rest > 0
      ? `${plural(rest, "further change")} (${summarise(rows)} in all): see the run's summary.`
      : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function whyOf({ trace, note }: Row, size: Size): string {
  const from = trace === undefined ? "" : describeTrace(trace, size);
  return [note === undefined ? "" : escapeText(note), from]
    .filter((part) => part !== "")
    .join("<br>");
}

function describeTrace({ patterns, line, changed, written }: Trace, size: Size): string {
  const path = patterns.map((pattern) => code(shortPattern(pattern))).join(" → ");
  const params = size === "counts" ? [] : changed.map(describeParam);
  const places = size === "counts" ? [] : describePlaces(written);
  return [`${path} (line ${line})`, ...params, ...places].join("<br>");
}

const shownPlaces = 3;

function describePlaces(written: readonly Position[]): readonly string[] {
  if (written.length === 0) return [];
  const places = written.slice(0, shownPlaces).map(({ file, line }) => code(`${file}:${line}`));
  const more = written.length > shownPlaces ? ` and ${written.length - shownPlaces} more` : "";
  return [`the adapter writes it differently: ${places.join(", ")}${more}`];
}

function describeParam({ name, before, after }: ChangedParam): string {
  if (before === undefined && after === undefined) return `${code(name)} changed`;
  if (before === undefined) return `${code(name)} added: ${shown(after)}`;
  return after === undefined
    ? `${code(name)} removed`
    : `${code(name)}: ${shown(before)} → ${shown(after)}`;
}

function shown(value: ChangedParam["after"]): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return code(text.length > 60 ? `${text.slice(0, 57)}…` : text);
}

function renderGraph({ plan }: DeploymentReport): string {
  const lines = plan === undefined ? undefined : renderOrder(plan);
  return lines === undefined ? "" : details("Order of the changes", fenced("mermaid", lines));
}

function renderDiffs(rows: readonly Row[], size: Size): string {
  let open = openLines;
  return rows
    .flatMap(({ action, name, diff }) => {
      if (diff === undefined) return [];
      const small = diff.lines.length <= Math.min(smallDiff, open);
      if (small) open -= diff.lines.length;
      const summary = `${markOf(action)} ${htmlCode(name)} ${escapeHtml(sizeOf(diff))}`;
      return [details(summary, fenced("diff", cut(diff, size)), small)];
    })
    .join("\n");
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

function renderNotices({ head, plan }: DeploymentReport): string {
  const notices = [...(head?.warnings ?? []), ...(plan?.notices ?? [])];
  return notices.length === 0
    ? ""
    : details(plural(notices.length, "notice"), renderProblems(notices));
}
