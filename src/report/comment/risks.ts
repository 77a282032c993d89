import type { Finding } from "../../model/finding.ts";
import { md } from "../../redaction/markdown.ts";
import { listItem, quoted } from "../../redaction/own-markdown.ts";
import {
  inMarkdown,
  listOf,
  named,
  nextLine,
  type Phrase,
  say,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { plural } from "../counts.ts";
import { notableChanges } from "../facts.ts";
import { findingInWords } from "../findings.ts";
import { problemInWords } from "../problems.ts";
import { isOlder } from "./already-so.ts";
import { autoscalerOf } from "./autoscaler.ts";
import { dangersOf, described, listNames, lossesOf, replacedRows } from "./dangers.ts";
import { errorsOf, type Look, problemsOf, type Section, warningsOf } from "./deployment-section.ts";

/** More than these would bury the rest of a cell. */
const shownFacts = 3;
/** What a short comment says in full. */
const shortProblems = 5;

/** What a reader must have seen before merging, in coloured boxes, and below them what else stands out; nothing where nothing does. */
export function renderRisks(section: Section, look: Look): Markdown {
  const { stops, risks, facts } = describeRisks(section, look);
  const items = (phrases: readonly Phrase[]) =>
    phrases.map((each) => listItem(inMarkdown(each, look.show)));
  const box = (title: Markdown, phrases: readonly Phrase[]) =>
    phrases.length === 0 ? md`` : joined([title, ...items(phrases).map(quoted)], "\n");
  const parts = [
    box(md`> [!CAUTION]`, stops),
    box(md`> [!WARNING]`, risks),
    joined(items(facts), "\n"),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** What stops or fails, what a reader must have seen besides, and what else stands out. */
export function describeRisks(section: Section, look: Omit<Look, "show">) {
  return {
    stops: [...problems(section, look), ...shortened(section, errorsOf(section.report), look)],
    risks: [...dangersOf(section, look.now), ...concerns(section, look)],
    facts: plainFacts(section, look),
  };
}

/** The same in the cell of a table: numbers, and the names of what is lost. */
export function describeRisksShort(section: Section): Phrase {
  const { report, rows } = section;
  const number = problemsOf(report).length;
  const [errors, warnings] = [errorsOf(report).length, warningsOf(report).length];
  const replaced = replacedRows(rows).map(({ name }) => name);
  const facts = [
    ...(number === 0 ? [] : [text(plural(number, "problem"))]),
    ...lossesOf(section),
    ...(replaced.length === 0 ? [] : [say`deletes and recreates ${listNames(replaced)}`]),
    ...(errors === 0 ? [] : [text(plural(errors, "error"))]),
    ...(warnings === 0 ? [] : [text(plural(warnings, "warning"))]),
    ...notableChanges(rows)
      .toSorted((a, b) => Number(b.isRisk) - Number(a.isRisk))
      .slice(0, shownFacts)
      .map((each) => named(each.text)),
    ...((report.orphanWarnings ?? []).length === 0 ? [] : [say`leaves objects behind`]),
  ];
  return listOf(facts, nextLine);
}

function problems({ report }: Section, { isShort }: Omit<Look, "show">): readonly Phrase[] {
  const all = problemsOf(report);
  const shown = isShort ? all.slice(0, shortProblems) : all;
  const rest = all.length - shown.length;
  const more = rest > 0 ? [say`${text(plural(rest, "more problem"))}, in the run's summary`] : [];
  return [...shown.map((each) => problemInWords(each, autoscalerOf(each, report.plan))), ...more];
}

function concerns(section: Section, look: Omit<Look, "show">): readonly Phrase[] {
  const { report } = section;
  return [
    ...shortened(section, warningsOf(report), look),
    ...(report.orphanWarnings ?? []).map((each) => problemInWords(each)),
  ];
}

function shortened(
  { report }: Section,
  findings: readonly Finding[],
  { isShort }: Omit<Look, "show">,
): readonly Phrase[] {
  const shown = isShort ? findings.slice(0, shortProblems) : findings;
  const rest = findings.length - shown.length;
  return [
    ...shown.map((each) => findingInWords(each, isOlder(each, report))),
    ...(rest > 0 ? [say`${text(plural(rest, "more finding"))}, in the run's summary`] : []),
  ];
}

function plainFacts({ rows }: Section, { now }: Omit<Look, "show">): readonly Phrase[] {
  const shown = notableChanges(rows).filter(({ isRisk }) => !isRisk);
  const rest = shown.length - mostFacts;
  return [
    ...shown.slice(0, mostFacts).map((each) => described(each, now)),
    ...(rest > 0 ? [say`${text(plural(rest, "more change"))} of images or replicas`] : []),
  ];
}

const mostFacts = 5;
