import { type Finding, isOpen } from "../../model/finding.ts";
import type { Problem } from "../../model/problem.ts";
import { details, escapeHtml, md } from "../../redaction/markdown.ts";
import { listItem } from "../../redaction/own-markdown.ts";
import { inMarkdown, listOf, named, type Phrase, say, text } from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { codeInWords } from "../code-words.ts";
import { plural } from "../counts.ts";
import { allowedInWords, findingInWords } from "../findings.ts";
import { problemInWords } from "../problems.ts";
import { whoseInWords } from "../whose.ts";
import { isOlder } from "./already-so.ts";
import type { DeploymentReport } from "./comment-input.ts";
import { isFirst, type Look, type Section } from "./deployment-section.ts";
import { renderDiffs } from "./diffs.ts";
import { renderDangerousObjects, renderObjects } from "./objects-table.ts";
import { renderOrderOf } from "./order.ts";
import { areFew, renderParameters } from "./parameters.ts";
import { renderRisks } from "./risks.ts";

/** How much of the comment is written; each is shorter than the one before. Deletions are in all of them. */
export const sizes = ["full", "short diffs", "list", "counts"] as const;
export type Size = (typeof sizes)[number];

/** What is to be known of one deployment, below its heading: what is dangerous, what changes, how. */
export function renderSection(section: Section, size: Size, look: Look): Markdown {
  const { report, rows } = section;
  const { config } = report.deployment;
  const withDiffs = size === "full" || size === "short diffs";
  const isCounts = size === "counts";
  const parameters = isCounts ? md`` : renderParameters(rows, config, look);
  const isNear = areFew(rows, config);
  const parts = [
    renderWhose(section, look),
    renderRisks(section, look),
    isNear ? parameters : md``,
    renderTarget(report),
    isNear ? md`` : parameters,
    isCounts ? renderDangerousObjects(rows) : renderObjects(rows, config, look),
    withDiffs ? renderDiffs(rows, size === "short diffs", isFirst(section)) : md``,
    withDiffs && report.plan !== undefined ? renderOrderOf(report.plan) : md``,
    isCounts ? md`` : renderNotices(report, look),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

function renderWhose(section: Section, { show, now }: Look): Markdown {
  const whose = describeWhose(section, now);
  return whose === undefined ? md`` : inMarkdown(whose, show);
}

/** Whose the changes are; undefined where nobody can tell. */
export function describeWhose({ report, rows }: Section, now: string | undefined) {
  const { attributions, base } = report;
  if (attributions === undefined) return undefined;
  const { release, commit } = attributions;
  return whoseInWords(rows, { release, commit, isPullRequest: base !== undefined, now });
}

/** Where it goes and what it was compared with. */
function renderTarget(report: DeploymentReport): Markdown {
  const place = md`<sub>${inMarkdown(describeTarget(report), (_, name) => name)}</sub>`;
  const note = describeComparison(report);
  if (note === undefined) return place;
  return md`${place}\n\n> [!NOTE]\n> ${inMarkdown(note, (_, name) => name)}`;
}

export function describeTarget({ deployment, release }: DeploymentReport): Phrase {
  const { config, environment, context, namespace } = deployment;
  const places = [
    named(config),
    ...(environment === undefined ? [] : [say`environment ${named(environment)}`]),
    ...(context === undefined ? [] : [say`context ${named(context)}`]),
    say`namespace ${named(namespace)}`,
    ...(release === undefined ? [] : [say`now running release ${release}`]),
  ];
  return listOf(places, " · ");
}

/** Why the cluster was not asked; undefined where it was. */
export function describeComparison({ head, clusterState }: DeploymentReport): Phrase | undefined {
  if (clusterState.compared || head === undefined) return undefined;
  return say`Not compared with the cluster because ${text(clusterState.because)}. What follows is the difference between the two commits.`;
}

/** What nobody has to read before merging. */
function renderNotices(report: DeploymentReport, { show }: Look): Markdown {
  const notices = describeNotices(report);
  if (notices.length === 0) return md``;
  const items = notices.map((each) => listItem(inMarkdown(each, show)));
  return details(escapeHtml(noticesTitle(report)), joined(items, "\n"));
}

const namedNotices = 3;

/** `2 notices: image not pinned, api warning`. */
export function noticesTitle({ head, plan, findings = [] }: DeploymentReport): string {
  const told = [
    ...findings.filter((each) => isOpen(each) && each.severity === "note"),
    ...findings.filter((each) => !isOpen(each)),
    ...(head?.warnings ?? []),
    ...(plan?.notices ?? []),
  ];
  const subjects = [...new Set(told.map(noticeSubject))];
  const rest = subjects.length - namedNotices;
  const more = rest > 0 ? `, and ${rest} more` : "";
  return `${plural(told.length, "notice")}: ${subjects.slice(0, namedNotices).join(", ")}${more}`;
}

function noticeSubject(notice: Finding | Problem): string {
  const isAllowed = "allowed" in notice && notice.allowed !== undefined;
  return `${codeInWords(notice.code)}${isAllowed ? " (allowed)" : ""}`;
}

export function describeNotices(report: DeploymentReport): readonly Phrase[] {
  const { head, plan, findings = [] } = report;
  const notes = findings.filter((each) => isOpen(each) && each.severity === "note");
  const allowed = findings.filter((each) => !isOpen(each));
  const notices = [...(head?.warnings ?? []), ...(plan?.notices ?? [])];
  return [
    ...notes.map((each) => findingInWords(each, isOlder(each, report))),
    ...allowed.map(allowedInWords),
    ...notices.map((each) => problemInWords(each)),
  ];
}
