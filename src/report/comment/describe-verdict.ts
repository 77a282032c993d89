import { nameOf } from "../../model/object.ts";
import { hasSubject } from "../../model/problems/problem.ts";
import { md } from "../../redaction/markdown.ts";
import {
  inlineCode,
  joinPhrases,
  lineBreak,
  type Phrase,
  phraseToMarkdown,
  phraseToText,
  say,
  text,
} from "../../redaction/phrase.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { replacedSourceNames } from "../changed-sources.ts";
import { isFromOthers } from "../rows/change-sources.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { codeLabel } from "../text/code-label.ts";
import { countChanges } from "../text/counts.ts";
import {
  type DeploymentSection,
  findingErrors,
  findingWarnings,
  freezeNotices,
  isHeldBack,
} from "./deployment-section.ts";
import {
  isDangerous,
  isUnchecked,
  levelMarks,
  levelNames,
  levels,
  type VerdictLevel,
  verdictLevel,
} from "./level.ts";
import { isOnlyLocked } from "./render-section.ts";
import { describeRisksBriefly } from "./risks.ts";
import {
  describeCrdLosses,
  describeLosses,
  describeReplaced,
  listNames,
  replacedRows,
} from "./risky-changes.ts";

/**
 * Renders the heading: the verdict, the deployment and the reason. A notification shows nothing
 * else.
 */
export function renderHeading(sections: readonly DeploymentSection[]): Markdown {
  return md`## ${phraseToMarkdown(describeVerdict(sections), (_, place) => place)}`;
}

export function describeVerdict(sections: readonly DeploymentSection[]): Phrase {
  const [only, ...others] = sections;
  if (only === undefined) return say`✅ No changes to deploy`;
  if (others.length > 0) return describeVerdicts(sections);
  return say`${markedVerdict(only)}: ${inlineCode(only.name)}${verdictReason(only)}`;
}

/**
 * Returns mark and word, such as `🛑 Blocked`. A freeze has its own, unless something else stops
 * the deployment, too.
 */
function markedVerdict(section: DeploymentSection): Phrase {
  const mark = isFrozen(section) ? "❄️" : levelMarks[verdictLevel(section)];
  return say`${text(mark)} ${text(verdictName(section))}`;
}

function isFrozen(section: DeploymentSection): boolean {
  return verdictLevel(section) === "risk" && freezeNotices(section).length > 0;
}

function verdictName(section: DeploymentSection): string {
  return isFrozen(section) ? "Frozen" : levelNames[verdictLevel(section)];
}

/** Returns the heading for a terminal, without the mark: `Ready: shop-staging, 2 updates`. */
export function verdictText(section: DeploymentSection): string {
  return `${verdictName(section)}: ${phraseToText(say`${inlineCode(section.name)}${verdictReason(section)}`)}`;
}

/**
 * Returns the reason for the verdict with its separator, such as ` would fail at …` or
 * `, 2 updates`.
 */
function verdictReason(section: DeploymentSection): Phrase {
  const level = verdictLevel(section);
  if (section.problems.length > 0) return say` doesn't compile`;
  if (level === "nothing") return noChangesPhrase(section);
  const worst = worstReason(section);
  if (worst !== undefined) return worst;
  if (level === "held") return say` waits for ${listNames(section.heldBackBy ?? [])}`;
  const counts = countsPhrase(section);
  return counts.length === 0 ? say`, no objects in the cluster` : say`, ${counts}`;
}

/** Returns the reasons on one line, for a folded deployment. */
export function textInShort(section: DeploymentSection): string {
  return phraseToText(describeBriefly(section)).replaceAll("\n", " · ");
}

const notChecked = say`not checked against the cluster`;

function noChangesPhrase({ notComparedBecause }: DeploymentSection): Phrase {
  return notComparedBecause === undefined ? [] : say`, same in both commits, ${notChecked}`;
}

const lockedOnly = say`changes the lockfile, but no object`;

/** Returns the reasons for a row of the page's overview, one fact per line. */
export function describeBriefly(section: DeploymentSection): Phrase {
  const unchecked = verdictLevel(section) === "unchecked" ? [notChecked] : [];
  const counts = countsPhrase(section);
  const onlyLocked = counts.length === 0 && isOnlyLocked(section) ? [lockedOnly] : [];
  const all = [...unchecked, describeRisksBriefly(section), counts, ...onlyLocked];
  return joinPhrases(
    all.filter((phrase) => phrase.length > 0),
    lineBreak,
  );
}

/**
 * Returns text such as `1 update, 1 new object, none from this pull request`. It includes the
 * number of unchecked changes.
 */
function countsPhrase(section: DeploymentSection): Phrase {
  const { rows, isFirst, origin } = section;
  const counts = countChanges(rows);
  if (counts === "") return [];
  const unchecked = rows.filter((row) => row.isUnchecked === true).length;
  const isPart = unchecked > 0 && !isUnchecked(section);
  const isRisk = isUnchecked(section) && verdictLevel(section) === "risk";
  const parts = [
    text(isFirst ? `first deployment, ${counts}` : counts),
    ...(isPart ? [say`${unchecked} unchecked`] : []),
    ...(isRisk ? [notChecked] : []),
    ...(origin !== undefined && !isFirst && isFromOthers(rows, origin)
      ? [say`none from this pull request`]
      : []),
  ];
  return joinPhrases(parts, ", ");
}

/** Returns the most important reason. Undefined if there is no risk. */
function worstReason(section: DeploymentSection): Phrase | undefined {
  const { rows } = section;
  const [error] = findingErrors(section);
  const [replaced] = replacedRows(rows);
  const [loss] = describeLosses(section);
  const [less] = notableChanges(rows).filter(({ isRisk }) => isRisk);
  const [broken] = describeCrdLosses(rows);
  const [warning] = findingWarnings(section);
  if (section.blockers.length > 0) return blockedFor(section);
  if (error !== undefined) {
    return say` would fail at ${inlineCode(nameOf(error.object))}: ${text(codeLabel(error.code))}`;
  }
  if (section.removal !== undefined) return say` is deleted`;
  if (loss !== undefined) return say` ${loss}`;
  if (replaced !== undefined) {
    return say` ${describeReplaced(replacedRows(rows))}`;
  }
  if (broken !== undefined) return say` changes ${broken}`;
  if (less !== undefined) {
    const reverted = less.source === "drift" ? say` reverts drift and` : [];
    return say`${reverted} changes ${inlineCode(less.text)} in ${listNames(less.names)}`;
  }
  if (warning?.code === "rolled-back") return say` redeploys a state that was rolled back`;
  if (warning !== undefined) {
    return say`, ${inlineCode(nameOf(warning.object))}: ${text(codeLabel(warning.code))}`;
  }
  if (freezeNotices(section).length > 0) return [];
  const [other] = replacedSourceNames(section.sources);
  if (other !== undefined) return say` uses other content of ${inlineCode(other)}`;
  if (section.orphanWarnings.length > 0) return say` leaves objects in the cluster`;
  return undefined;
}

const namedCodes = 3;

/** Returns ` at Deployment shop/web: field conflict`, or several reasons. */
function blockedFor({ blockers, rows }: DeploymentSection): Phrase {
  const codes = [...new Set(blockers.map(({ code }) => codeLabel(code)))];
  const more = codes.length > namedCodes ? say` and ${codes.length - namedCodes} more` : [];
  const names = rows
    .map(({ name }) => name)
    .filter((name) => blockers.some((blocker) => hasSubject(blocker, name)));
  const where = names.length === 0 ? [] : say` at ${listNames(names)}`;
  return say`${where}: ${joinPhrases(codes.slice(0, namedCodes).map(text), ", ")}${more}`;
}

/** A deployment with its level, which is computed once. */
interface JudgedSection {
  readonly section: DeploymentSection;
  readonly level: VerdictLevel;
}

/** The groups of verdicts. Each deployment counts in the first group that matches. */
const groups = [
  { said: "blocked", isMeant: ({ level }: JudgedSection) => level === "stop" },
  {
    said: "waiting",
    isMeant: ({ section, level }: JudgedSection) => level !== "nothing" && isHeldBack(section),
  },
  { said: "to review", isMeant: ({ level }: JudgedSection) => level === "risk" },
  { said: "not checked", isMeant: ({ level }: JudgedSection) => level === "unchecked" },
  { said: "ready", isMeant: ({ level }: JudgedSection) => level === "change" },
  { said: "without changes", isMeant: ({ level }: JudgedSection) => level === "nothing" },
] as const;

/** Returns text such as `2 waiting (1 to review)`. */
function counted(label: string, found: readonly JudgedSection[]): Phrase {
  const risky = found.filter((each) => each.level === "risk" && isHeldBack(each.section)).length;
  const toReview = risky === 0 ? [] : say` (${risky} to review)`;
  return say`${found.length} ${text(label)}${toReview}`;
}

/** Returns the worst deployment with its reason, and the number of deployments for each verdict. */
function describeVerdicts(sections: readonly DeploymentSection[]): Phrase {
  const judged = sections.map((section) => ({ section, level: verdictLevel(section) }));
  const byGroup = Map.groupBy(judged, (each) => groups.find(({ isMeant }) => isMeant(each)));
  const counts = groups.flatMap((group) => {
    const found = byGroup.get(group) ?? [];
    return found.length === 0 ? [] : [counted(group.said, found)];
  });
  const level = levels.find((each) => judged.some((other) => other.level === each));
  const worst = judged.find((each) => each.level === level)?.section;
  const number = say`${sections.length} deployments`;
  const all = counts.length < 2 ? number : say`${number}: ${joinPhrases(counts, ", ")}`;
  if (worst === undefined) return say`✅ No changes to deploy`;
  if (!isDangerous(level)) return say`${markedVerdict(worst)} · ${all}`;
  return say`${markedVerdict(worst)}: ${inlineCode(worst.name)}${verdictReason(worst)} · ${all}`;
}
