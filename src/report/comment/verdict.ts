import { isOpen } from "../../model/finding.ts";
import type { Problem } from "../../model/problem.ts";
import { code, escapeText, md } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { plural, summarise } from "../counts.ts";
import type { Row } from "../rows.ts";
import type { DeploymentReport } from "./comment-input.ts";

/** A deployment's report together with what is shown of it. */
export interface Section {
  readonly report: DeploymentReport;
  readonly rows: readonly Row[];
}

/** More than this many names in the verdict would bury it; the objects table has them all. */
const namedDeletions = 3;
const namedProblems = 3;

/** The first lines of the comment: what happens, and what of it a reader has to worry about. */
export function renderVerdict(sections: readonly Section[]): Markdown {
  const [only, ...others] = sections;
  const alone = others.length === 0;
  const subject = alone && only !== undefined ? md`${nameOf(only)}: ` : md``;
  const told = (facts: (section: Section) => readonly Markdown[]) =>
    sections.flatMap((each) =>
      facts(each).map((fact) => (alone ? fact : md`${nameOf(each)}: ${fact}`)),
    );
  const problems = firstOf(told(problemFacts));
  const risks = told(riskFacts);
  const rows = sections.flatMap((section) => section.rows);
  const counts = escapeText(summarise(rows));
  if (problems.length > 0)
    return alert(md`🛑 ${subject}can't be deployed`, "CAUTION", [...problems, ...risks]);
  if (risks.length > 0)
    return alert(md`⚠️ ${subject}${counts || md`look closely`}`, "WARNING", risks);
  if (rows.every((row) => row.action === "keep")) return md`## ✅ ${subject}no changes to deploy`;
  return md`## 🟢 ${subject}${counts || md`nothing that is applied to the cluster`}`;
}

export function problemsOf(report: DeploymentReport): DeploymentReport["problems"] {
  return [...report.problems, ...report.blockers];
}

/** What stops nothing but has to be known before merging. */
export function concernsOf({
  findings = [],
  orphanWarnings = [],
}: DeploymentReport): readonly Pick<Problem, "what">[] {
  const told = findings.filter((each) => isOpen(each) && each.severity !== "note");
  return [...told, ...orphanWarnings];
}

function nameOf({ report }: Section): Markdown {
  return code(report.deployment.name);
}

function problemFacts({ report }: Section): readonly Markdown[] {
  return problemsOf(report).map((problem) => escapeText(problem.what));
}

function firstOf(problems: readonly Markdown[]): readonly Markdown[] {
  const rest = problems.length - namedProblems;
  const more = rest > 0 ? [md`${escapeText(plural(rest, "more problem"))}, listed below`] : [];
  return [...problems.slice(0, namedProblems), ...more];
}

/** What can hurt: deletions without a successor, and what the cluster would do to the plan. */
function riskFacts({ report, rows }: Section): readonly Markdown[] {
  const deleted = rows.filter(isAlarming);
  const concerns = concernsOf(report).map((concern) => escapeText(concern.what));
  const replaced = rows.filter((row) => row.action === "replace");
  return [
    ...(deleted.length > 0 ? [md`deletes ${listNames(deleted)}`] : []),
    ...(replaced.length > 0 ? [md`deletes and recreates ${listNames(replaced)}`] : []),
    ...concerns,
  ];
}

export function isAlarming(row: Row): boolean {
  return row.action === "delete" && !row.superseded;
}

function listNames(rows: readonly Row[]): Markdown {
  if (rows.length > namedDeletions) return md`**${rows.length} objects**, listed below`;
  return joined(
    rows.map((row) => md`**${code(row.name)}**`),
    ", ",
  );
}

/** GitHub draws these boxes in colour, which is read before any word is. */
function alert(
  heading: Markdown,
  level: "CAUTION" | "WARNING",
  facts: readonly Markdown[],
): Markdown {
  const box = level === "CAUTION" ? md`> [!CAUTION]` : md`> [!WARNING]`;
  return joined([md`## ${heading}`, md``, box, ...facts.map((fact) => md`> - ${fact}`)], "\n");
}
