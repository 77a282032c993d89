import { isOpen } from "../../model/finding.ts";
import { code, details, escapeHtml, escapeText, md } from "../../redaction/markdown.ts";
import { listItem } from "../../redaction/own-markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { plural } from "../counts.ts";
import { renderAllowed, renderFinding } from "../findings.ts";
import { renderProblems } from "../problems.ts";
import type { DeploymentReport } from "./comment-input.ts";
import { renderDiffs } from "./diffs.ts";
import { renderDangerousObjects, renderObjects } from "./objects-table.ts";
import { renderOrderOf } from "./order.ts";
import { renderParameters } from "./parameters.ts";
import { type Look, renderRisks, type Section } from "./verdict.ts";

/** How much of the comment is written; each is shorter than the one before. Deletions are in all of them. */
export const sizes = ["full", "short diffs", "list", "counts"] as const;
export type Size = (typeof sizes)[number];

/** What is to be known of one deployment, below its heading: what is dangerous, what changes, how. */
export function renderSection(section: Section, size: Size, look: Look): Markdown {
  const { report, rows } = section;
  const { config } = report.deployment;
  const withDiffs = size === "full" || size === "short diffs";
  const isCounts = size === "counts";
  const parts = [
    renderRisks(section, look),
    renderTarget(report),
    isCounts ? md`` : renderParameters(rows, config, look),
    isCounts ? renderDangerousObjects(rows) : renderObjects(rows, config, look),
    withDiffs ? renderDiffs(rows, size === "short diffs") : md``,
    withDiffs && report.plan !== undefined ? renderOrderOf(report.plan) : md``,
    isCounts ? md`` : renderNotices(report, look),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
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
  const place = md`<sub>${joined(places, " · ")}</sub>`;
  if (clusterState.compared || report.head === undefined) return place;
  const because = escapeText(clusterState.because);
  const note = md`Not compared with the cluster because ${because}. What follows is the difference between the two commits.`;
  return md`${place}\n\n> [!NOTE]\n> ${note}`;
}

/** What nobody has to read before merging. */
function renderNotices({ head, plan, findings = [] }: DeploymentReport, { show }: Look): Markdown {
  const notices = [...(head?.warnings ?? []), ...(plan?.notices ?? [])];
  const notes = findings.filter((each) => isOpen(each) && each.severity === "note");
  const allowed = findings.filter((each) => !isOpen(each));
  const number = notices.length + notes.length + allowed.length;
  if (number === 0) return md``;
  const lists = [
    joined(
      notes.map((each) => listItem(renderFinding(each, show))),
      "\n",
    ),
    joined(
      allowed.map((each) => listItem(renderAllowed(each, show))),
      "\n",
    ),
    renderProblems(notices, show),
  ];
  const body = joined(
    lists.filter((part) => part !== ""),
    "\n",
  );
  return details(escapeHtml(plural(number, "notice")), body);
}
