import type { Problem } from "../model/problem.ts";
import type { DeploymentReport } from "./comment-input.ts";
import { plural, summarise } from "./counts.ts";
import { code, escapeText } from "./markdown.ts";
import type { Row } from "./rows.ts";

/** A deployment's report together with what is shown of it. */
export interface Section {
  readonly report: DeploymentReport;
  readonly rows: readonly Row[];
}

/** More than this many names in the verdict would bury it; the objects table has them all. */
const namedDeletions = 3;
const namedProblems = 3;

/** The first lines of the comment: what happens, and what of it a reader has to worry about. */
export function renderVerdict(sections: readonly Section[]): string {
  const [only, ...others] = sections;
  const alone = others.length === 0;
  const subject = alone && only !== undefined ? `${nameOf(only)}: ` : "";
  const told = (facts: (section: Section) => readonly string[]) =>
    sections.flatMap((each) =>
      facts(each).map((fact) => (alone ? fact : `${nameOf(each)}: ${fact}`)),
    );
  const problems = firstOf(told(problemFacts));
  const risks = told(riskFacts);
  const rows = sections.flatMap((section) => section.rows);
  const counts = summarise(rows);
  if (problems.length > 0)
    return alert(`🛑 ${subject}can't be deployed`, "CAUTION", [...problems, ...risks]);
  if (risks.length > 0) return alert(`⚠️ ${subject}${counts || "look closely"}`, "WARNING", risks);
  if (rows.every((row) => row.action === "keep")) return `## ✅ ${subject}no changes to deploy`;
  return `## 🟢 ${subject}${counts || "nothing that is applied to the cluster"}`;
}

export function problemsOf(report: DeploymentReport): DeploymentReport["problems"] {
  return [...report.problems, ...report.planProblems];
}

/** What stops nothing but has to be known before merging. */
export function concernsOf({
  findings = [],
  leftBehind = [],
}: DeploymentReport): readonly Problem[] {
  return [...findings, ...leftBehind];
}

function nameOf({ report }: Section): string {
  return code(report.deployment.name);
}

function problemFacts({ report }: Section): readonly string[] {
  return problemsOf(report).map((problem) => escapeText(problem.what));
}

function firstOf(problems: readonly string[]): readonly string[] {
  const rest = problems.length - namedProblems;
  const more = rest > 0 ? [`${plural(rest, "more problem")}, listed below`] : [];
  return [...problems.slice(0, namedProblems), ...more];
}

/** What can hurt: deletions without a successor, and what the cluster would do to the plan. */
function riskFacts({ report, rows }: Section): readonly string[] {
  const deleted = rows.filter(isAlarming);
  const concerns = concernsOf(report).map((concern) => escapeText(concern.what));
  const replaced = rows.filter((row) => row.action === "replace");
  return [
    ...(deleted.length > 0 ? [`deletes ${listNames(deleted)}`] : []),
    ...(replaced.length > 0 ? [`deletes and makes anew ${listNames(replaced)}`] : []),
    ...concerns,
  ];
}

export function isAlarming(row: Row): boolean {
  return row.action === "delete" && !row.superseded;
}

function listNames(rows: readonly Row[]): string {
  if (rows.length > namedDeletions) return `**${rows.length} objects**, listed below`;
  return rows.map((row) => `**${code(row.name)}**`).join(", ");
}

/** GitHub draws these boxes in colour, which is read before any word is. */
function alert(heading: string, level: "CAUTION" | "WARNING", facts: readonly string[]): string {
  return [`## ${heading}`, "", `> [!${level}]`, ...facts.map((fact) => `> - ${fact}`)].join("\n");
}
