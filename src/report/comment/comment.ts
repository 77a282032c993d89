import type { Problem } from "../../model/problem.ts";
import { code, escapeText, link, md, table } from "../../redaction/markdown.ts";
import { cutLines } from "../../redaction/own-markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { count } from "../counts.ts";
import { renderProblems } from "../problems.ts";
import { rowsOf } from "../rows.ts";
import { approvableDigest, type CommentInput } from "./comment-input.ts";
import { renderSection, type Size, sizes } from "./section.ts";
import { concernsOf, isAlarming, problemsOf, renderVerdict, type Section } from "./verdict.ts";

/** The first line of every comment of ours; together with the author it makes a comment ours. */
export const commentMarker = md`<!-- qvs-action:comment v1 -->`;

/** GitHub refuses comments of more than 65,536 characters; the rest is room for what GitHub counts differently. */
const maxUnits = 65_000;
/** GitHub drops a step summary above 1 MiB altogether; the outcome of a deployment may have to fit beside it. */
const maxSummaryBytes = 990_000;

/** The pull request's comment in the largest size that fits. Byte-stable for the same input. */
export function renderComment(input: CommentInput, limit = maxUnits): Markdown {
  return largestFitting(input, (body) => body.length, limit);
}

/** The same with the room of a step summary. */
export function renderSummary(input: CommentInput): Markdown {
  return largestFitting(input, (body) => Buffer.byteLength(body), maxSummaryBytes);
}

/** A pull request that changes nothing gets no comment, unless it has one already. */
export function hasSomethingToSay(input: CommentInput): boolean {
  return (input.previewProblems ?? []).length > 0 || sectionsOf(input).some(isInteresting);
}

function largestFitting(
  input: CommentInput,
  measure: (body: string) => number,
  limit: number,
): Markdown {
  const sections = sectionsOf(input);
  for (const size of sizes) {
    const body = assemble(input, sections, size);
    if (measure(body) <= limit) return body;
  }
  return cut(assemble(input, sections, "counts"), measure, limit);
}

function sectionsOf(input: CommentInput): readonly Section[] {
  return input.deployments.map((report) => ({ report, rows: rowsOf(report) }));
}

function assemble(input: CommentInput, sections: readonly Section[], size: Size): Markdown {
  const verdict =
    input.previewProblems === undefined
      ? renderVerdict(sections)
      : renderPreviewProblems(input.previewProblems);
  const parts = [
    md`${commentMarker}\n${verdict}`,
    sections.length > 1 ? renderOverview(sections) : md``,
    ...sections
      .filter(isInteresting)
      .map((section) => renderSection(section, size, sections.length === 1)),
    renderFooter(input, size),
  ];
  const filled = parts.filter((part) => part !== "");
  return md`${joined(filled, "\n\n")}\n`;
}

function isInteresting({ report, rows }: Section): boolean {
  return rows.length > 0 || problemsOf(report).length > 0 || concernsOf(report).length > 0;
}

function renderOverview(sections: readonly Section[]): Markdown {
  const rows = sections.map(({ report, rows }) => [
    md`**${escapeText(report.deployment.name)}**`,
    stateOf({ report, rows }),
    ...(["create", "update", "delete", "keep"] as const).map((action) =>
      escapeText(String(count(rows, action) || "")),
    ),
  ]);
  const header = [md`Deployment`, md``, md`Create`, md`Update`, md`Delete`, md`Keep`];
  return table(header, rows);
}

function stateOf(section: Section): Markdown {
  const { report, rows } = section;
  if (report.problems.length > 0) return md`🛑 does not compile`;
  if (report.blockers.length > 0) return md`🛑 can't be deployed`;
  if (concernsOf(report).length > 0 || rows.some(isAlarming)) return md`⚠️ look closely`;
  return isInteresting(section) ? md`🟢 changes` : md`✅ no changes`;
}

function renderFooter({ deployments, headCommit, runUrl }: CommentInput, size: Size): Markdown {
  const digests = deployments.flatMap((report) => {
    const digest = approvableDigest(report)?.slice(0, 12);
    return digest === undefined ? [] : [md`${code(report.deployment.name)} ${code(digest)}`];
  });
  const parts = [
    md`Commit ${code(headCommit.slice(0, 12))}`,
    ...(digests.length === 0 ? [] : [md`plan ${joined(digests, ", ")}`]),
    ...(runUrl === undefined ? [] : [link(md`run`, runUrl)]),
    ...(size === "full" ? [] : [md`shortened; the whole text is in the run's summary`]),
  ];
  return md`---\n<sub>${joined(parts, " · ")}</sub>`;
}

/** The last resort, for thousands of deletions: whole lines, and a line that says how many are missing. */
function cut(body: Markdown, measure: (line: string) => number, limit: number): Markdown {
  const { kept, missing } = cutLines(body, measure, limit - 120);
  return md`${kept}\n\n**${missing} more lines are in the run's summary.**\n`;
}

/** The whole comment of a pull request that can't be previewed: an older preview must not stay and look valid. */
function renderPreviewProblems(previewProblems: readonly Problem[]): Markdown {
  return md`## 🛑 This pull request can't be previewed\n\n**Because:**\n\n${renderProblems(previewProblems)}`;
}
