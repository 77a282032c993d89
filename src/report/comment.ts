import type { CommentInput } from "./comment-input.ts";
import { renderSection, type Size, sizes } from "./comment-section.ts";
import { count } from "./counts.ts";
import { code, escapeText, table } from "./markdown.ts";
import { renderObstacles } from "./obstacles.ts";
import { rowsOf } from "./rows.ts";
import { concernsOf, isAlarming, problemsOf, renderVerdict, type Section } from "./verdict.ts";

/** The first line of every comment of ours; together with the author it makes a comment ours. */
export const commentMarker = "<!-- qvs-action:comment v1 -->";

/** GitHub refuses comments of more than 65,536 characters; the rest is room for what GitHub counts differently. */
const maxUnits = 65_000;
/** GitHub drops a step summary above 1 MiB altogether; the outcome of a deployment may have to fit beside it. */
const maxSummaryBytes = 990_000;

/** The pull request's comment in the largest size that fits. Byte-stable for the same input. */
export function renderComment(input: CommentInput, limit = maxUnits): string {
  return largestFitting(input, (body) => body.length, limit);
}

/** The same with the room of a step summary. */
export function renderSummary(input: CommentInput): string {
  return largestFitting(input, (body) => Buffer.byteLength(body), maxSummaryBytes);
}

/** A pull request that changes nothing gets no comment, unless it has one already. */
export function hasSomethingToSay(input: CommentInput): boolean {
  return (input.obstacles ?? []).length > 0 || sectionsOf(input).some(isInteresting);
}

function largestFitting(
  input: CommentInput,
  measure: (body: string) => number,
  limit: number,
): string {
  const sections = sectionsOf(input);
  for (const size of sizes) {
    const body = assemble(input, sections, size);
    if (measure(body) <= limit) return body;
  }
  return cutLines(assemble(input, sections, "counts"), measure, limit);
}

function sectionsOf(input: CommentInput): readonly Section[] {
  return input.deployments.map((report) => ({ report, rows: rowsOf(report) }));
}

function assemble(input: CommentInput, sections: readonly Section[], size: Size): string {
  const verdict =
    input.obstacles === undefined ? renderVerdict(sections) : renderObstacles(input.obstacles);
  const parts = [
    `${commentMarker}\n${verdict}`,
    sections.length > 1 ? renderOverview(sections) : "",
    ...sections
      .filter(isInteresting)
      .map((section) => renderSection(section, size, sections.length === 1)),
    renderFooter(input, size),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function isInteresting({ report, rows }: Section): boolean {
  return rows.length > 0 || problemsOf(report).length > 0 || concernsOf(report).length > 0;
}

function renderOverview(sections: readonly Section[]): string {
  const rows = sections.map(({ report, rows }) => [
    `**${escapeText(report.deployment.name)}**`,
    stateOf({ report, rows }),
    ...(["create", "update", "delete", "keep"] as const).map((action) =>
      String(count(rows, action) || ""),
    ),
  ]);
  return table(["Deployment", "", "Create", "Update", "Delete", "Keep"], rows);
}

function stateOf(section: Section): string {
  const { report, rows } = section;
  if (report.problems.length > 0) return "🛑 does not compile";
  if (report.planProblems.length > 0) return "🛑 can't be deployed";
  if (concernsOf(report).length > 0 || rows.some(isAlarming)) return "⚠️ look closely";
  return isInteresting(section) ? "🟢 changes" : "✅ no changes";
}

function renderFooter({ deployments, headCommit, runUrl }: CommentInput, size: Size): string {
  const digests = deployments.flatMap(({ deployment, plan }) =>
    plan === undefined ? [] : [`${code(deployment.name)} ${code(plan.digest.slice(0, 12))}`],
  );
  const parts = [
    `Commit ${code(headCommit.slice(0, 12))}`,
    ...(digests.length === 0 ? [] : [`plan ${digests.join(", ")}`]),
    ...(runUrl === undefined ? [] : [`[run](${runUrl})`]),
    ...(size === "full" ? [] : ["shortened; the whole text is in the run's summary"]),
  ];
  return `---\n<sub>${parts.join(" · ")}</sub>`;
}

/** The last resort, for thousands of deletions: whole lines, and a line that says how many are missing. */
function cutLines(body: string, measure: (line: string) => number, limit: number): string {
  const lines = body.split("\n");
  const kept: string[] = [];
  let room = limit - 120;
  for (const line of lines) {
    room -= measure(line) + 1;
    if (room < 0) break;
    kept.push(line);
  }
  const missing = `**${lines.length - kept.length} more lines are in the run's summary.**`;
  return `${kept.join("\n")}\n\n${missing}\n`;
}
