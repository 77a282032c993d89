import { type Finding, isOpen } from "../../model/finding.ts";
import { code, escapeText, md } from "../../redaction/markdown.ts";
import { listItem, quoted } from "../../redaction/own-markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { plural, summarise } from "../counts.ts";
import { type NotableChange, notableChanges, sourcesInWords } from "../facts.ts";
import { renderFinding } from "../findings.ts";
import { renderProblem } from "../problems.ts";
import type { Row } from "../rows.ts";
import type { DeploymentReport } from "./comment-input.ts";
import type { ShowPlace } from "./places.ts";

/** A deployment's report together with what is shown of it. */
export interface Section {
  readonly report: DeploymentReport;
  readonly rows: readonly Row[];
}

/** How a comment is written, whatever it is about. */
export interface Look {
  readonly show: ShowPlace;
  /** ISO 8601. */
  readonly now: string | undefined;
  /** Whether there is room for all that is to be said of problems. */
  readonly isShort: boolean;
}

/** How much a reader has to worry, the worst first. */
export const levels = ["stop", "risk", "change", "nothing"] as const;
export type Level = (typeof levels)[number];

export const marksOfLevels = { stop: "🛑", risk: "⚠️", change: "🟢", nothing: "✅" } as const;

export function levelOf(section: Section): Level {
  const { report, rows } = section;
  if (problemsOf(report).length > 0 || errorsOf(report).length > 0) return "stop";
  if (isRisky(section)) return "risk";
  return rows.every(({ action }) => action === "keep" || action === "ignore")
    ? "nothing"
    : "change";
}

function isRisky({ report, rows }: Section): boolean {
  return (
    concernsOf(report) > 0 ||
    rows.some(
      (row) => isAlarming(row) || row.action === "replace" || lossesInWords(row).length > 0,
    ) ||
    notableChanges(rows).some(({ isRisk }) => isRisk)
  );
}

/** More than this many names would bury the rest; the table has them all. */
const namedObjects = 3;
/** What a short comment says in full. */
const shortProblems = 5;

/** The first line: what happens to one deployment, or to how many of them. */
export function renderHeading(sections: readonly Section[]): Markdown {
  const [only, ...others] = sections;
  if (only === undefined) return md`## ✅ No changes to deploy`;
  if (others.length > 0) return headingOfMany(sections);
  const level = levelOf(only);
  return md`## ${escapeText(marksOfLevels[level])} ${code(only.report.deployment.name)}: ${inWords(only, level)}`;
}

/** What happens to a deployment, in a few words. */
function inWords({ report, rows }: Section, level: Level): Markdown {
  if (report.problems.length > 0) return md`does not compile`;
  if (problemsOf(report).length > 0) return md`can't be deployed`;
  if (level === "nothing") return md`no changes to deploy`;
  const counts = escapeText(summarise(rows));
  if (level === "stop") return counts === "" ? md`would fail` : md`${counts}, which would fail`;
  return (
    counts || (level === "risk" ? md`look closely` : md`nothing that is applied to the cluster`)
  );
}

function headingOfMany(sections: readonly Section[]): Markdown {
  const number = (level: Level) => sections.filter((each) => levelOf(each) === level).length;
  const words = [
    { level: "stop", text: "can't be deployed or would fail" },
    { level: "risk", text: "to look at closely" },
    { level: "change", text: "with plain changes" },
  ] as const;
  const found = words.filter(({ level }) => number(level) > 0);
  const worst = levels.find((level) => number(level) > 0) ?? "nothing";
  const counts = found.map(({ level, text }) => escapeText(`${number(level)} ${text}`));
  const told = counts.length === 0 ? md`no changes to deploy` : joined(counts, ", ");
  return md`## ${escapeText(marksOfLevels[worst])} ${sections.length} deployments: ${told}`;
}

/** What a reader must have seen before merging, in a coloured box, and below it what else stands out; nothing where nothing does. */
export function renderRisks(section: Section, look: Look): Markdown {
  const risks = [...stops(section, look), ...dangers(section), ...concerns(section, look)];
  const facts = plainFacts(section, look);
  const box = levelOf(section) === "stop" ? md`> [!CAUTION]` : md`> [!WARNING]`;
  const parts = [
    risks.length === 0 ? md`` : joined([box, ...risks.map(listItem).map(quoted)], "\n"),
    joined(facts.map(listItem), "\n"),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** The same in the cell of a table: numbers, and the names of what is lost. */
export function renderRisksShort(section: Section): Markdown {
  const { report, rows } = section;
  const problems = problemsOf(report).length;
  const open = (report.findings ?? []).filter(isOpen);
  const [errors, warnings] = (["error", "warning"] as const).map(
    (severity) => open.filter((each) => each.severity === severity).length,
  );
  const facts = [
    ...(problems === 0 ? [] : [escapeText(plural(problems, "problem"))]),
    ...lossesOf(section),
    ...(errors === 0 ? [] : [escapeText(plural(errors ?? 0, "error"))]),
    ...(warnings === 0 ? [] : [escapeText(plural(warnings ?? 0, "warning"))]),
    ...notableChanges(rows)
      .toSorted((a, b) => Number(b.isRisk) - Number(a.isRisk))
      .slice(0, namedObjects)
      .map(({ text }) => code(text)),
    ...((report.orphanWarnings ?? []).length === 0 ? [] : [md`leaves objects behind`]),
  ];
  return joined(facts, "<br>");
}

export function problemsOf(report: DeploymentReport): DeploymentReport["problems"] {
  return [...report.problems, ...report.blockers];
}

/** What is bound to go wrong although nothing refuses it. */
function errorsOf({ findings = [] }: DeploymentReport): readonly Finding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "error");
}

/** How much there is that stops nothing but has to be known before merging. */
export function concernsOf({ findings = [], orphanWarnings = [] }: DeploymentReport): number {
  const told = findings.filter((each) => isOpen(each) && each.severity !== "note");
  return told.length + orphanWarnings.length;
}

function stops({ report }: Section, { show, isShort }: Look): readonly Markdown[] {
  const problems = problemsOf(report);
  if (!isShort) return problems.map((each) => renderProblem(each, show));
  const rest = problems.length - shortProblems;
  const first = problems.slice(0, shortProblems).map((each) => renderProblem(each, show));
  return rest > 0
    ? [...first, md`${escapeText(plural(rest, "more problem"))}, in the run's summary`]
    : first;
}

/** What is lost, and what there will be less of. */
function dangers(section: Section): readonly Markdown[] {
  return [
    ...lossesOf(section),
    ...brokenKinds(section.rows),
    ...notableChanges(section.rows)
      .filter(({ isRisk }) => isRisk)
      .map(described),
  ];
}

function lossesOf({ report, rows }: Section): readonly Markdown[] {
  // A problem that names the object has said that it is deleted.
  const problems = problemsOf(report).map(({ what }) => what);
  const isNew = ({ name }: Row) => !problems.some((what) => what.includes(`${name} `));
  const of = (action: Row["action"]) =>
    rows.filter((row) => row.action === action && (action === "replace" || isAlarming(row)));
  const [deleted, renamed, replaced] = [of("delete").filter(isNew), of("rename"), of("replace")];
  const lost = (names: readonly string[]) => names.length > 0;
  const [gone, old, again] = [
    deleted.map(({ name }) => name),
    renamed.map(({ succeeds = "" }) => succeeds),
    replaced.map(({ name }) => name),
  ];
  return [
    ...(lost(gone) ? [md`deletes ${listNames(gone)}`] : []),
    ...(lost(again) ? [md`deletes and recreates ${listNames(again)}`] : []),
    ...(lost(old) ? [md`gives ${listNames(old)} another name: what is there now is deleted`] : []),
  ];
}

/** Objects of a kind break by what its definition no longer has. */
function brokenKinds(rows: readonly Row[]): readonly Markdown[] {
  return rows.flatMap((row) => {
    const lost = lossesInWords(row);
    return lost.length === 0 ? [] : [md`${code(row.name)}: ${joined(lost.map(code), ", ")}`];
  });
}

function lossesInWords({ diff }: Row): readonly string[] {
  return (diff?.words ?? []).filter((words) => /\bremoves |no longer served/.test(words));
}

function concerns({ report }: Section, { show, isShort }: Look): readonly Markdown[] {
  const { findings = [], orphanWarnings = [] } = report;
  const told = findings.filter((each) => isOpen(each) && each.severity !== "note");
  const shown = isShort ? told.slice(0, shortProblems) : told;
  const rest = told.length - shown.length;
  return [
    ...shown.map((each) => renderFinding(each, show)),
    ...(rest > 0 ? [md`${escapeText(plural(rest, "more finding"))}, in the run's summary`] : []),
    ...orphanWarnings.map((each) => renderProblem(each, show)),
  ];
}

function plainFacts({ rows, report }: Section, { now }: Look): readonly Markdown[] {
  const sources = sourcesInWords(rows, report.attributions?.release, now);
  const shown = notableChanges(rows).filter(({ isRisk }) => !isRisk);
  const rest = shown.length - mostFacts;
  return [
    ...(sources === undefined ? [] : [escapeText(sources)]),
    ...shown.slice(0, mostFacts).map(described),
    ...(rest > 0 ? [md`${escapeText(plural(rest, "more change"))} of images or replicas`] : []),
  ];
}

const mostFacts = 5;

function described({ text, names, isDrift }: NotableChange): Markdown {
  const undone = isDrift ? md`, which undoes what was changed in the cluster` : md``;
  return md`**${code(text)}** in ${listNames(names)}${undone}`;
}

/** What is deleted and what nothing takes the place of. Of what a program is started with, the next start reads the new one. */
export function isAlarming({ action, harmless, name, succeeds }: Row): boolean {
  if (action === "delete") return harmless !== true;
  return action === "rename" && succeeds !== undefined && !/^(ConfigMap|Secret|Job) /.test(name);
}

function listNames(names: readonly string[]): Markdown {
  if (names.length > namedObjects) return md`${names.length} objects`;
  return joined(names.map(code), ", ");
}
