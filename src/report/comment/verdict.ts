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
import { notableChanges } from "../rows/notable-changes.ts";
import { isOfOthers } from "../rows/whose.ts";
import { codeInWords } from "../text/code-words.ts";
import { countInNouns } from "../text/counts.ts";
import { brokenKinds, listNames, lossesOf, replacedRows } from "./dangers.ts";
import {
  type DeploymentSection,
  errorsOf,
  holdsOf,
  isHeldBack,
  warningsOf,
} from "./deployment-section.ts";
import {
  isDangerous,
  isUnchecked,
  levelOf,
  levels,
  marksOfLevels,
  wordsOfLevels,
} from "./level.ts";
import { describeRisksShort } from "./risks.ts";

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
  if (others.length > 0) return verdictOnMany(sections);
  return say`${verdictOf(only)}: ${inlineCode(only.name)}${reasonOf(only)}`;
}

/**
 * Returns mark and word, such as `🛑 Blocked`. A freeze has its own, unless something else stops
 * the deployment, too.
 */
function verdictOf(section: DeploymentSection): Phrase {
  const mark = isFrozen(section) ? "❄️" : marksOfLevels[levelOf(section)];
  return say`${text(mark)} ${text(wordOf(section))}`;
}

function isFrozen(section: DeploymentSection): boolean {
  return levelOf(section) === "risk" && holdsOf(section).length > 0;
}

function wordOf(section: DeploymentSection): string {
  return isFrozen(section) ? "Frozen" : wordsOfLevels[levelOf(section)];
}

/** Returns the heading for a terminal, without the mark: `Ready: shop-staging, 2 updates`. */
export function verdictText(section: DeploymentSection): string {
  return `${wordOf(section)}: ${phraseToText(say`${inlineCode(section.name)}${reasonOf(section)}`)}`;
}

/**
 * Returns the reason for the verdict with its separator, such as ` would fail at …` or
 * `, 2 updates`.
 */
function reasonOf(section: DeploymentSection): Phrase {
  const level = levelOf(section);
  if (section.problems.length > 0) return say` doesn't compile`;
  if (level === "nothing") return nothingInWords(section);
  const worst = worstOf(section);
  if (worst !== undefined) return worst;
  if (level === "held") return say` waits for ${listNames(section.heldBackBy ?? [])}`;
  const counts = countsInWords(section);
  return counts.length === 0 ? say`, no objects in the cluster` : say`, ${counts}`;
}

/** Returns the reasons on one line, for a folded deployment. */
export function textInShort(section: DeploymentSection): string {
  return phraseToText(describeInShort(section)).replaceAll("\n", " · ");
}

const notChecked = say`not checked against the cluster`;

function nothingInWords({ notComparedBecause }: DeploymentSection): Phrase {
  return notComparedBecause === undefined ? [] : say`, same in both commits, ${notChecked}`;
}

/** Returns the reasons for a row of a table, one fact per line. */
export function describeInShort(section: DeploymentSection): Phrase {
  const unchecked = levelOf(section) === "unchecked" ? [notChecked] : [];
  const counts = countsInWords(section);
  const all = [...unchecked, describeRisksShort(section), counts];
  return joinPhrases(
    all.filter((phrase) => phrase.length > 0),
    lineBreak,
  );
}

/**
 * Returns text such as `1 update, 1 new object, none from this pull request`. It includes the
 * number of unchecked changes.
 */
function countsInWords(section: DeploymentSection): Phrase {
  const { rows, isFirst, origin } = section;
  const counts = countInNouns(rows);
  if (counts === "") return [];
  const unchecked = rows.filter((row) => row.isUnchecked === true).length;
  const isPart = unchecked > 0 && !isUnchecked(section);
  const isRisk = isUnchecked(section) && levelOf(section) === "risk";
  const parts = [
    text(isFirst ? `first deployment, ${counts}` : counts),
    ...(isPart ? [say`${unchecked} unchecked`] : []),
    ...(isRisk ? [notChecked] : []),
    ...(origin !== undefined && !isFirst && isOfOthers(rows, origin)
      ? [say`none from this pull request`]
      : []),
  ];
  return joinPhrases(parts, ", ");
}

/** Returns the most important reason. Undefined if there is no risk. */
function worstOf(section: DeploymentSection): Phrase | undefined {
  const { rows } = section;
  const [error] = errorsOf(section);
  const [replaced] = replacedRows(rows);
  const [loss] = lossesOf(section);
  const [less] = notableChanges(rows).filter(({ isRisk }) => isRisk);
  const [broken] = brokenKinds(rows);
  const [warning] = warningsOf(section);
  if (section.blockers.length > 0) return blockedFor(section);
  if (error !== undefined) {
    return say` would fail at ${inlineCode(nameOf(error.object))}: ${text(codeInWords(error.code))}`;
  }
  if (section.removal !== undefined) return say` is deleted`;
  if (loss !== undefined) return say` ${loss}`;
  if (replaced !== undefined) {
    return say` deletes and recreates ${listNames(replacedRows(rows).map(({ name }) => name))}`;
  }
  if (broken !== undefined) return say` changes ${broken}`;
  if (less !== undefined) {
    const undone = less.source === "drift" ? say` reverts drift and` : [];
    return say`${undone} changes ${inlineCode(less.text)} in ${listNames(less.names)}`;
  }
  if (warning?.code === "rolled-back") return say` redeploys a state that was rolled back`;
  if (warning !== undefined) {
    return say`, ${inlineCode(nameOf(warning.object))}: ${text(codeInWords(warning.code))}`;
  }
  if (holdsOf(section).length > 0) return [];
  if (section.orphanWarnings.length > 0) return say` leaves objects in the cluster`;
  return undefined;
}

const namedCodes = 3;

/** Returns ` at Deployment shop/web: field conflict`, or several reasons. */
function blockedFor({ blockers, rows }: DeploymentSection): Phrase {
  const codes = [...new Set(blockers.map(({ code }) => codeInWords(code)))];
  const more = codes.length > namedCodes ? say` and ${codes.length - namedCodes} more` : [];
  const names = rows
    .map(({ name }) => name)
    .filter((name) => blockers.some((blocker) => hasSubject(blocker, name)));
  const where = names.length === 0 ? [] : say` at ${listNames(names)}`;
  return say`${where}: ${joinPhrases(codes.slice(0, namedCodes).map(text), ", ")}${more}`;
}

/** The groups of verdicts. Each deployment counts in the first group that matches. */
const groups = [
  { said: "blocked", isMeant: (section: DeploymentSection) => levelOf(section) === "stop" },
  {
    said: "waiting",
    isMeant: (section: DeploymentSection) => isHeldBack(section) && levelOf(section) !== "nothing",
  },
  { said: "to review", isMeant: (section: DeploymentSection) => levelOf(section) === "risk" },
  {
    said: "not checked",
    isMeant: (section: DeploymentSection) => levelOf(section) === "unchecked",
  },
  { said: "ready", isMeant: (section: DeploymentSection) => levelOf(section) === "change" },
  {
    said: "without changes",
    isMeant: (section: DeploymentSection) => levelOf(section) === "nothing",
  },
] as const;

/** Returns text such as `2 waiting (1 to review)`. */
function counted(said: string, found: readonly DeploymentSection[]): Phrase {
  const risky = found.filter((each) => isHeldBack(each) && levelOf(each) === "risk").length;
  const closely = risky === 0 ? [] : say` (${risky} to review)`;
  return say`${found.length} ${text(said)}${closely}`;
}

/** Returns the worst deployment with its reason, and the number of deployments for each verdict. */
function verdictOnMany(sections: readonly DeploymentSection[]): Phrase {
  const groupOf = (section: DeploymentSection) => groups.find(({ isMeant }) => isMeant(section));
  const counts = groups.flatMap((group) => {
    const found = sections.filter((section) => groupOf(section) === group);
    return found.length === 0 ? [] : [counted(group.said, found)];
  });
  const level = levels.find((each) => sections.some((section) => levelOf(section) === each));
  const worst = sections.find((section) => levelOf(section) === level);
  const number = say`${sections.length} deployments`;
  const all = counts.length < 2 ? number : say`${number}: ${joinPhrases(counts, ", ")}`;
  if (worst === undefined) return say`✅ No changes to deploy`;
  if (!isDangerous(level)) return say`${verdictOf(worst)} · ${all}`;
  return say`${verdictOf(worst)}: ${inlineCode(worst.name)}${reasonOf(worst)} · ${all}`;
}
