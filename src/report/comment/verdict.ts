import { nameOf } from "../../model/object.ts";
import { isAbout } from "../../model/problems/problem.ts";
import { md } from "../../redaction/markdown.ts";
import {
  inMarkdown,
  listOf,
  named,
  nextLine,
  type Phrase,
  say,
  text,
} from "../../redaction/phrase.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { isOfOthers } from "../rows/whose.ts";
import { codeInWords } from "../text/code-words.ts";
import { summarise } from "../text/counts.ts";
import { brokenKinds, listNames, lossesOf, replacedRows } from "./dangers.ts";
import {
  type DeploymentSection,
  errorsOf,
  holdsOf,
  isHeldBack,
  problemsOf,
  warningsOf,
} from "./deployment-section.ts";
import { isUnchecked, type Level, levelOf, levels, marksOfLevels } from "./level.ts";
import { describeRisksShort } from "./risks.ts";

/** The first line: what happens to one deployment, or to how many of them. A notification shows nothing else. */
export function renderHeading(sections: readonly DeploymentSection[]): Markdown {
  return md`## ${inMarkdown(describeVerdict(sections), (_, place) => place)}`;
}

export function describeVerdict(sections: readonly DeploymentSection[]): Phrase {
  const [only, ...others] = sections;
  if (only === undefined) return say`✅ No changes to deploy`;
  if (others.length > 0) return verdictOnMany(sections);
  const level = levelOf(only);
  return say`${text(marksOfLevels[level])} ${named(only.name)}: ${inWords(only, level)}`;
}

/** What happens to a deployment, in a few words, the worst first. */
function inWords(section: DeploymentSection, level: Level): Phrase {
  if (section.problems.length > 0) return say`does not compile`;
  const worst = worstOf(section);
  if (problemsOf(section).length > 0) return worst ?? say`would fail`;
  if (level === "nothing") return nothingInWords(section);
  const counted = countsInWords(section);
  const first = worst ?? (level === "unchecked" ? notChecked : undefined);
  if (first === undefined) {
    return counted.length === 0 ? say`nothing that is applied to the cluster` : counted;
  }
  return counted.length === 0 ? first : say`${first} (${counted})`;
}

const notChecked = say`not checked against the cluster`;

function nothingInWords({ notComparedBecause }: DeploymentSection): Phrase {
  return notComparedBecause === undefined
    ? say`no changes to deploy`
    : say`the commits declare the same, ${notChecked}`;
}

/** The same for a row of a table, which has more room: each on a line. */
export function describeInShort(section: DeploymentSection): Phrase {
  const unchecked = levelOf(section) === "unchecked" ? [notChecked] : [];
  const counts = countsInWords(section);
  const all = [...unchecked, describeRisksShort(section), counts];
  return listOf(
    all.filter((phrase) => phrase.length > 0),
    nextLine,
  );
}

/** `1 to update, 1 to create, nothing from this pull request`, and how much of it nobody has checked. */
function countsInWords(section: DeploymentSection): Phrase {
  const { rows, isFirst, origin } = section;
  const counts = summarise(rows);
  if (counts === "") return [];
  const unchecked = rows.filter((row) => row.isUnchecked === true).length;
  const isPart = unchecked > 0 && !isUnchecked(section);
  const isRisk = isUnchecked(section) && levelOf(section) === "risk";
  const parts = [
    text(isFirst ? `first deployment, ${counts}` : counts),
    ...(isPart ? [say`${unchecked} unchecked`] : []),
    ...(isRisk ? [notChecked] : []),
    ...(origin !== undefined && !isFirst && isOfOthers(rows, origin)
      ? [say`nothing from this pull request`]
      : []),
  ];
  return listOf(parts, ", ");
}

/** The one thing that a reader must not miss; undefined where nothing is dangerous. */
function worstOf(section: DeploymentSection): Phrase | undefined {
  const { rows } = section;
  const [error] = errorsOf(section);
  const [replaced] = replacedRows(rows);
  const [loss] = lossesOf(section);
  const [less] = notableChanges(rows).filter(({ isRisk }) => isRisk);
  const [broken] = brokenKinds(rows);
  const [warning] = warningsOf(section);
  if (section.blockers.length > 0) return refusedFor(section);
  if (section.removal !== undefined) return say`deletes the whole deployment`;
  if (error !== undefined) {
    return say`would fail at ${named(nameOf(error.object))}: ${text(codeInWords(error.code))}`;
  }
  if (holdsOf(section).length > 0) return say`deployments are frozen`;
  if (loss !== undefined) return loss;
  if (replaced !== undefined) {
    return say`deletes and recreates ${listNames(replacedRows(rows).map(({ name }) => name))}`;
  }
  if (broken !== undefined) return broken;
  if (less !== undefined) {
    const undone = less.source === "drift" ? say`reverts drift, ` : [];
    return say`${undone}${named(less.text)} in ${listNames(less.names)}`;
  }
  if (warning?.code === "rolled-back") return say`brings back what was rolled back`;
  if (warning !== undefined) {
    return say`${named(nameOf(warning.object))}: ${text(codeInWords(warning.code))}`;
  }
  if (section.orphanWarnings.length > 0) return say`leaves objects behind`;
  return undefined;
}

const namedCodes = 3;

/** `would fail at Deployment shop/web: field conflict`, or for several reasons. */
function refusedFor({ blockers, rows }: DeploymentSection): Phrase {
  const codes = [...new Set(blockers.map(({ code }) => codeInWords(code)))];
  const more = codes.length > namedCodes ? say` and ${codes.length - namedCodes} more` : [];
  const names = rows
    .map(({ name }) => name)
    .filter((name) => blockers.some((blocker) => isAbout(blocker, name)));
  const where = names.length === 0 ? [] : say` at ${listNames(names)}`;
  return say`would fail${where}: ${listOf(codes.slice(0, namedCodes).map(text), ", ")}${more}`;
}

/** Each deployment counts where it is first found. */
const groups = [
  { said: "would fail", isMeant: (section: DeploymentSection) => levelOf(section) === "stop" },
  {
    said: "held back",
    isMeant: (section: DeploymentSection) => isHeldBack(section) && levelOf(section) !== "nothing",
  },
  {
    said: "to review closely",
    isMeant: (section: DeploymentSection) => levelOf(section) === "risk",
  },
  {
    said: "not checked against the cluster",
    isMeant: (section: DeploymentSection) => levelOf(section) === "unchecked",
  },
  {
    said: "to change without known risks",
    isMeant: (section: DeploymentSection) => levelOf(section) === "change",
  },
] as const;

/** `2 held back (1 to review closely)`: what waits is looked at all the same. */
function counted(said: string, found: readonly DeploymentSection[]): Phrase {
  const risky = found.filter((each) => isHeldBack(each) && levelOf(each) === "risk").length;
  const closely = risky === 0 ? [] : say` (${risky} to review closely)`;
  return say`${found.length} ${text(said)}${closely}`;
}

/** How many of each, and the worst of them by its name. */
function verdictOnMany(sections: readonly DeploymentSection[]): Phrase {
  const groupOf = (section: DeploymentSection) => groups.find(({ isMeant }) => isMeant(section));
  const counts = groups.flatMap((group) => {
    const found = sections.filter((section) => groupOf(section) === group);
    return found.length === 0 ? [] : [counted(group.said, found)];
  });
  const level = levels.find((each) => sections.some((section) => levelOf(section) === each));
  const told = counts.length === 0 ? say`no changes to deploy` : listOf(counts, ", ");
  const isDangerous = level === "stop" || level === "risk";
  const worst = sections.filter((section) => isDangerous && levelOf(section) === level);
  const what = listOf([told, ...worst.slice(0, 1).map(worstInMany)], " · ");
  return say`${text(marksOfLevels[level ?? "nothing"])} ${sections.length} deployments: ${what}`;
}

function worstInMany(section: DeploymentSection): Phrase {
  const what = section.problems.length > 0 ? say`does not compile` : worstOf(section);
  return say`${named(section.name)}: ${what ?? say`look closely`}`;
}
