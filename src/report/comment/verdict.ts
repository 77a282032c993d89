import { type Finding, isOpen } from "../../model/finding.ts";
import { nameOf } from "../../model/object.ts";
import { md } from "../../redaction/markdown.ts";
import { listItem, quoted } from "../../redaction/own-markdown.ts";
import {
  inMarkdown,
  listOf,
  named,
  nextLine,
  type Phrase,
  say,
  strong,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { plural, summarise } from "../counts.ts";
import { type NotableChange, notableChanges, sourcesInWords } from "../facts.ts";
import { findingInWords } from "../findings.ts";
import { problemInWords } from "../problems.ts";
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
  return md`## ${inMarkdown(describeVerdict(sections), (_, place) => place)}`;
}

export function describeVerdict(sections: readonly Section[]): Phrase {
  const [only, ...others] = sections;
  if (only === undefined) return say`✅ No changes to deploy`;
  if (others.length > 0) return verdictOnMany(sections);
  const level = levelOf(only);
  return say`${text(marksOfLevels[level])} ${named(only.report.deployment.name)}: ${inWords(only, level)}`;
}

/** What happens to a deployment, in a few words. */
function inWords({ report, rows }: Section, level: Level): Phrase {
  if (report.problems.length > 0) return say`does not compile`;
  if (problemsOf(report).length > 0) return say`can't be deployed`;
  if (level === "nothing") return say`no changes to deploy`;
  const counts = summarise(rows);
  if (level === "stop")
    return counts === "" ? say`would fail` : say`${text(counts)}, which would fail`;
  if (counts !== "") return text(counts);
  return level === "risk" ? say`look closely` : say`nothing that is applied to the cluster`;
}

function verdictOnMany(sections: readonly Section[]): Phrase {
  const number = (level: Level) => sections.filter((each) => levelOf(each) === level).length;
  const words = [
    { level: "stop", said: "can't be deployed or would fail" },
    { level: "risk", said: "to look at closely" },
    { level: "change", said: "with plain changes" },
  ] as const;
  const found = words.filter(({ level }) => number(level) > 0);
  const worst = levels.find((level) => number(level) > 0) ?? "nothing";
  const counts = found.map(({ level, said }) => text(`${number(level)} ${said}`));
  const told = counts.length === 0 ? say`no changes to deploy` : listOf(counts, ", ");
  return say`${text(marksOfLevels[worst])} ${sections.length} deployments: ${told}`;
}

/** What a reader must have seen before merging, in a coloured box, and below it what else stands out; nothing where nothing does. */
export function renderRisks(section: Section, look: Look): Markdown {
  const { risks, facts } = describeRisks(section, look);
  const items = (phrases: readonly Phrase[]) =>
    phrases.map((each) => listItem(inMarkdown(each, look.show)));
  const box = levelOf(section) === "stop" ? md`> [!CAUTION]` : md`> [!WARNING]`;
  const parts = [
    risks.length === 0 ? md`` : joined([box, ...items(risks).map(quoted)], "\n"),
    joined(items(facts), "\n"),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** What a reader must have seen before merging, and what else stands out. */
export function describeRisks(section: Section, look: Omit<Look, "show">) {
  const risks = [...stops(section, look), ...dangers(section), ...concerns(section, look)];
  return { risks, facts: plainFacts(section, look) };
}

/** The same in the cell of a table: numbers, and the names of what is lost. */
export function describeRisksShort(section: Section): Phrase {
  const { report, rows } = section;
  const problems = problemsOf(report).length;
  const open = (report.findings ?? []).filter(isOpen);
  const [errors, warnings] = (["error", "warning"] as const).map(
    (severity) => open.filter((each) => each.severity === severity).length,
  );
  const facts = [
    ...(problems === 0 ? [] : [text(plural(problems, "problem"))]),
    ...lossesOf(section),
    ...(errors === 0 ? [] : [text(plural(errors ?? 0, "error"))]),
    ...(warnings === 0 ? [] : [text(plural(warnings ?? 0, "warning"))]),
    ...notableChanges(rows)
      .toSorted((a, b) => Number(b.isRisk) - Number(a.isRisk))
      .slice(0, namedObjects)
      .map((each) => named(each.text)),
    ...((report.orphanWarnings ?? []).length === 0 ? [] : [say`leaves objects behind`]),
  ];
  return listOf(facts, nextLine);
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

function stops({ report }: Section, { isShort }: Omit<Look, "show">): readonly Phrase[] {
  const problems = problemsOf(report);
  if (!isShort) return problems.map(problemInWords);
  const rest = problems.length - shortProblems;
  const first = problems.slice(0, shortProblems).map(problemInWords);
  return rest > 0
    ? [...first, say`${text(plural(rest, "more problem"))}, in the run's summary`]
    : first;
}

/** What is lost, and what there will be less of. */
function dangers(section: Section): readonly Phrase[] {
  return [
    ...lossesOf(section),
    ...brokenKinds(section.rows),
    ...notableChanges(section.rows)
      .filter(({ isRisk }) => isRisk)
      .map(described),
  ];
}

function lossesOf({ report, rows }: Section): readonly Phrase[] {
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
    ...(lost(gone) ? [say`deletes ${listNames(gone)}`] : []),
    ...(lost(again) ? [say`deletes and recreates ${listNames(again)}`] : []),
    ...(lost(old) ? [say`gives ${listNames(old)} another name: what is there now is deleted`] : []),
  ];
}

/** Objects of a kind break by what its definition no longer has. */
function brokenKinds(rows: readonly Row[]): readonly Phrase[] {
  return rows.flatMap((row) => {
    const lost = lossesInWords(row);
    return lost.length === 0 ? [] : [say`${named(row.name)}: ${listOf(lost.map(named), ", ")}`];
  });
}

function lossesInWords({ diff }: Row): readonly string[] {
  return (diff?.words ?? []).filter((words) => /\bremoves |no longer served/.test(words));
}

function concerns({ report }: Section, { isShort }: Omit<Look, "show">): readonly Phrase[] {
  const { findings = [], orphanWarnings = [] } = report;
  const told = findings.filter((each) => isOpen(each) && each.severity !== "note");
  const shown = isShort ? told.slice(0, shortProblems) : told;
  const rest = told.length - shown.length;
  return [
    ...shown.map(findingInWords),
    ...(rest > 0 ? [say`${text(plural(rest, "more finding"))}, in the run's summary`] : []),
    ...orphanWarnings.map(problemInWords),
  ];
}

function plainFacts({ rows, report }: Section, { now }: Omit<Look, "show">): readonly Phrase[] {
  const sources = sourcesInWords(rows, report.attributions?.release, now);
  const shown = notableChanges(rows).filter(({ isRisk }) => !isRisk);
  const rest = shown.length - mostFacts;
  return [
    ...(sources === undefined ? [] : [text(sources)]),
    ...shown.slice(0, mostFacts).map(described),
    ...(rest > 0 ? [say`${text(plural(rest, "more change"))} of images or replicas`] : []),
  ];
}

const mostFacts = 5;

function described({ text: change, names, isDrift }: NotableChange): Phrase {
  const undone = isDrift ? say`, which undoes what was changed in the cluster` : [];
  return say`${strong(named(change))} in ${listNames(names)}${undone}`;
}

/** The names of the objects that a reader must have looked at: what is lost, has less, or has a finding. */
export function namesInDanger({ report, rows }: Section): ReadonlySet<string> {
  const lost = rows.filter(
    (row) => isAlarming(row) || row.action === "replace" || lossesInWords(row).length > 0,
  );
  const less = notableChanges(rows).filter(({ isRisk }) => isRisk);
  const found = (report.findings ?? []).filter((each) => isOpen(each) && each.severity !== "note");
  return new Set([
    ...lost.map(({ name }) => name),
    ...less.flatMap(({ names }) => names),
    ...found.map(({ object }) => nameOf(object)),
    ...problemsOf(report).flatMap(({ subject }) => subject ?? []),
  ]);
}

/** What is deleted and what nothing takes the place of. Of what a program is started with, the next start reads the new one. */
export function isAlarming({ action, harmless, name, succeeds }: Row): boolean {
  if (action === "delete") return harmless !== true;
  return action === "rename" && succeeds !== undefined && !/^(ConfigMap|Secret|Job) /.test(name);
}

function listNames(names: readonly string[]): Phrase {
  if (names.length > namedObjects) return say`${names.length} objects`;
  return listOf(names.map(named), ", ");
}
