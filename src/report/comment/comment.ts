import type { Problem } from "../../model/problem.ts";
import {
  code,
  details,
  escapeHtml,
  escapeText,
  html,
  link,
  md,
  table,
} from "../../redaction/markdown.ts";
import { cutLines } from "../../redaction/own-markdown.ts";
import { inMarkdown, inPlain } from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { count, countedColumns, summarise } from "../counts.ts";
import { renderProblems } from "../problems.ts";
import { renderApprovals } from "./approval-line.ts";
import { approvableDigest, approvalIn, type CommentInput } from "./comment-input.ts";
import type { Look, Section } from "./deployment-section.ts";
import { levelOf, marksOfLevels } from "./level.ts";
import { placesAt } from "./places.ts";
import { describeRisksShort } from "./risks.ts";
import { renderSection, type Size, sizes } from "./section.ts";
import { isInteresting, sectionsOf, worstFirst } from "./sections.ts";
import { describeVerdict, renderHeading } from "./verdict.ts";

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

/** Its first line as plain text, for the title of a check. */
export function titleOf(input: CommentInput): string {
  if ((input.previewProblems ?? []).length > 0) return "The preview could not be made";
  return inPlain(describeVerdict(worstFirst(sectionsOf(input))));
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

function assemble(input: CommentInput, sections: readonly Section[], size: Size): Markdown {
  const { previewProblems, now } = input;
  // Links are longer than what they link.
  const hasLinks = size === "full" || size === "short diffs";
  const show = placesAt(hasLinks ? input : { ...input, repositoryUrl: undefined });
  const look = { show, now, isShort: size === "counts" };
  const parts =
    previewProblems === undefined
      ? previewParts(sections, size, look)
      : [renderPreviewProblems(previewProblems, look)];
  const [first = md``, ...others] = [...parts, renderFooter(input, size)].filter(
    (part) => part !== "",
  );
  const offered = input.deployments.map((report) => ({
    name: report.deployment.name,
    ...approvalIn(report),
  }));
  const approvals = renderApprovals(input.headCommit, offered);
  const head = approvals === undefined ? commentMarker : md`${commentMarker}\n${approvals}`;
  return md`${joined([md`${head}\n${first}`, ...others], "\n\n")}\n`;
}

function previewParts(given: readonly Section[], size: Size, look: Look): readonly Markdown[] {
  const sections = worstFirst(given);
  const shown = sections.filter(isInteresting);
  if (given.length === 1) {
    return [renderHeading(sections), ...shown.map((section) => renderSection(section, size, look))];
  }
  const isFolded = shown.length > openSections;
  return [
    renderHeading(sections),
    renderOverview(sections),
    ...shown.map((section) => renderNamed(section, size, look, isFolded)),
  ];
}

/** Of more deployments than these, those without a danger are folded. */
const openSections = 4;

function renderNamed(section: Section, size: Size, look: Look, isFolded: boolean): Markdown {
  const { name } = section.report.deployment;
  const level = levelOf(section);
  const body = renderSection(section, size, look);
  const mark = marksOfLevels[level];
  if (isFolded && level === "change") {
    const summary = html`${escapeHtml(mark)} <b>${escapeHtml(name)}</b>: ${escapeHtml(summarise(section.rows))}`;
    return details(summary, body);
  }
  return md`### ${escapeText(mark)} ${escapeText(name)}\n\n${body}`;
}

/** One row for each deployment that something is to be said of; columns in which nothing stands are left out. */
function renderOverview(sections: readonly Section[]): Markdown {
  const shown = sections.filter(isInteresting);
  const untouched = sections.filter((section) => !isInteresting(section));
  const columns = [
    ...countedColumns.map(([heading, action]) => ({
      heading: escapeText(heading),
      cell: ({ rows }: Section) => escapeText(String(count(rows, action) || "")),
    })),
    {
      heading: md`Look at`,
      cell: (section: Section) => inMarkdown(describeRisksShort(section), (_, place) => place),
    },
  ].filter(({ cell }) => shown.some((section) => cell(section) !== ""));
  const rows = shown.map((section) => [
    md`${escapeText(marksOfLevels[levelOf(section)])} **${escapeText(section.report.deployment.name)}**`,
    ...columns.map(({ cell }) => cell(section)),
  ]);
  const names = untouched.map(({ report }) => code(report.deployment.name));
  const parts = [
    rows.length === 0
      ? md``
      : table([md`Deployment`, ...columns.map(({ heading }) => heading)], rows),
    names.length === 0 ? md`` : md`Without changes: ${joined(names, ", ")}`,
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

function renderFooter(input: CommentInput, size: Size): Markdown {
  const { deployments, headCommit, runUrl } = input;
  const digests = deployments.flatMap((report) => {
    const digest = approvableDigest(report)?.slice(0, 12);
    const name = deployments.length === 1 ? md`` : md`${code(report.deployment.name)} `;
    return digest === undefined ? [] : [md`${name}${code(digest)}`];
  });
  const parts = [
    md`Commit ${code(headCommit.slice(0, 12))}`,
    ...(digests.length === 0 ? [] : [md`plan ${joined(digests, ", ")}`]),
    ...(runUrl === undefined ? [] : [link(md`run`, runUrl)]),
    ...(size === "full" ? [] : [md`shortened; the whole text is in ${whereWhole(input)}`]),
  ];
  return md`---\n<sub>${joined(parts, " · ")}</sub>`;
}

/** GitHub lists the artifacts of a run on its page. */
function whereWhole({ runUrl, previewArtifact }: CommentInput): Markdown {
  if (previewArtifact === undefined) return md`the run's summary`;
  const name = code(previewArtifact);
  const artifact = runUrl === undefined ? name : link(name, `${runUrl}#artifacts`);
  return md`the run's summary, and with all diffs in its artifact ${artifact}`;
}

/** The last resort, for thousands of deletions: whole lines, and a line that says how many are missing. */
function cut(body: Markdown, measure: (line: string) => number, limit: number): Markdown {
  const { kept, missing } = cutLines(body, measure, limit - 120);
  return md`${kept}\n\n**${missing} more lines are in the run's summary.**\n`;
}

/** The whole comment of a pull request that can't be previewed: an older preview must not stay and look valid. */
function renderPreviewProblems(previewProblems: readonly Problem[], { show }: Look): Markdown {
  return md`## 🛑 This pull request can't be previewed\n\n**Because:**\n\n${renderProblems(previewProblems, show)}`;
}
