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
  const blocked = sections.filter(({ report }) => problemsOf(report).length > 0);
  const facts = sections.flatMap(factsOf);
  const rows = sections.flatMap((section) => section.rows);
  const subject =
    sections.length === 1 ? `${code(sections[0]?.report.deployment.name ?? "")}: ` : "";
  if (blocked.length > 0) return blockedVerdict(sections, blocked, facts, subject);
  if (facts.length > 0)
    return alert(`⚠️ ${subject}${summarise(rows) || "look closely"}`, "WARNING", facts);
  if (rows.every((row) => row.action === "keep")) return `## ✅ ${subject}no changes to deploy`;
  return `## 🟢 ${subject}${summarise(rows) || "nothing that is applied to the cluster"}`;
}

export function problemsOf(report: DeploymentReport): DeploymentReport["problems"] {
  return [...report.problems, ...report.planProblems];
}

function blockedVerdict(
  sections: readonly Section[],
  blocked: readonly Section[],
  facts: readonly string[],
  subject: string,
): string {
  const problems = blocked.flatMap(({ report }) =>
    problemsOf(report).map((problem) =>
      sections.length === 1
        ? escapeText(problem.what)
        : `${code(report.deployment.name)}: ${escapeText(problem.what)}`,
    ),
  );
  const rest = problems.length - namedProblems;
  const more = rest > 0 ? [`${plural(rest, "more problem")}, listed below`] : [];
  const stopped = [...problems.slice(0, namedProblems), ...more];
  return alert(`🛑 ${subject}can't be deployed`, "CAUTION", [...stopped, ...facts]);
}

/** What can hurt: deletions without a successor, and what the cluster would do to the plan. */
function factsOf({ report, rows }: Section): readonly string[] {
  const name = code(report.deployment.name);
  const deleted = rows.filter(isAlarming);
  const findings = (report.findings ?? []).map((finding) => `${name}: ${escapeText(finding.what)}`);
  return [...(deleted.length > 0 ? [`${name} deletes ${listNames(deleted)}`] : []), ...findings];
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
