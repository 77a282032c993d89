import { nameOf } from "../../model/object.ts";
import { isAbout } from "../../model/problems/problem.ts";
import { md } from "../../redaction/markdown.ts";
import { inMarkdown, listOf, named, type Phrase, say, text } from "../../redaction/phrase.ts";
import type { Markdown } from "../../redaction/shown.ts";
import type { DeploymentReview } from "../review/review.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { codeInWords } from "../text/code-words.ts";
import { summarise } from "../text/counts.ts";
import { brokenKinds, listNames, lossesOf, replacedRows } from "./dangers.ts";
import { errorsOf, problemsOf, warningsOf } from "./deployment-section.ts";
import { type Level, levelOf, levels, marksOfLevels } from "./level.ts";

/** The first line: what happens to one deployment, or to how many of them. A notification shows nothing else. */
export function renderHeading(sections: readonly DeploymentReview[]): Markdown {
  return md`## ${inMarkdown(describeVerdict(sections), (_, place) => place)}`;
}

export function describeVerdict(sections: readonly DeploymentReview[]): Phrase {
  const [only, ...others] = sections;
  if (only === undefined) return say`✅ No changes to deploy`;
  if (others.length > 0) return verdictOnMany(sections);
  const level = levelOf(only);
  return say`${text(marksOfLevels[level])} ${named(only.name)}: ${inWords(only, level)}`;
}

/** What happens to a deployment, in a few words, the worst first. */
function inWords(section: DeploymentReview, level: Level): Phrase {
  if (section.problems.length > 0) return say`does not compile`;
  const worst = worstOf(section);
  if (problemsOf(section).length > 0) return worst ?? say`would fail`;
  if (level === "nothing") return say`no changes to deploy`;
  const counts = summarise(section.rows);
  const counted = counts !== "" && section.isFirst ? `first deployment, ${counts}` : counts;
  if (worst === undefined) {
    return counted === "" ? say`nothing that is applied to the cluster` : text(counted);
  }
  return counted === "" ? worst : say`${worst} (${text(counted)})`;
}

/** The one thing that a reader must not miss; undefined where nothing is dangerous. */
function worstOf(section: DeploymentReview): Phrase | undefined {
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
    return say`would fail, ${named(nameOf(error.object))}: ${text(codeInWords(error.code))}`;
  }
  if (loss !== undefined) return loss;
  if (replaced !== undefined) {
    return say`deletes and recreates ${listNames(replacedRows(rows).map(({ name }) => name))}`;
  }
  if (broken !== undefined) return broken;
  if (less !== undefined) return say`${named(less.text)} in ${listNames(less.names)}`;
  if (warning !== undefined) {
    return say`${named(nameOf(warning.object))}: ${text(codeInWords(warning.code))}`;
  }
  if (section.orphanWarnings.length > 0) return say`leaves objects behind`;
  return undefined;
}

const namedCodes = 3;

/** `would fail, Deployment shop/web: field conflict`, or for several reasons. */
function refusedFor({ blockers, rows }: DeploymentReview): Phrase {
  const codes = [...new Set(blockers.map(({ code }) => codeInWords(code)))];
  const more = codes.length > namedCodes ? say` and ${codes.length - namedCodes} more` : [];
  const names = rows
    .map(({ name }) => name)
    .filter((name) => blockers.some((blocker) => isAbout(blocker, name)));
  const where = names.length === 0 ? [] : say`, ${listNames(names)}`;
  return say`would fail${where}: ${listOf(codes.slice(0, namedCodes).map(text), ", ")}${more}`;
}

const groups = [
  { said: "would fail", isMeant: (section: DeploymentReview) => levelOf(section) === "stop" },
  {
    said: "to review closely",
    isMeant: (section: DeploymentReview) => levelOf(section) === "risk",
  },
  {
    said: "to change without risks",
    isMeant: (section: DeploymentReview) => levelOf(section) === "change",
  },
] as const;

/** How many of each, and the worst of them by its name. */
function verdictOnMany(sections: readonly DeploymentReview[]): Phrase {
  const groupOf = (section: DeploymentReview) => groups.find(({ isMeant }) => isMeant(section));
  const counts = groups.flatMap((group) => {
    const found = sections.filter((section) => groupOf(section) === group);
    return found.length === 0 ? [] : [text(`${found.length} ${group.said}`)];
  });
  const level = levels.find((each) => sections.some((section) => levelOf(section) === each));
  const told = counts.length === 0 ? say`no changes to deploy` : listOf(counts, ", ");
  const worst = (["stop", "risk"] as const).flatMap((each) => {
    const first = sections.find((section) => levelOf(section) === each);
    return first === undefined ? [] : [worstInMany(first)];
  });
  const what = listOf([told, ...worst], " · ");
  return say`${text(marksOfLevels[level ?? "nothing"])} ${sections.length} deployments: ${what}`;
}

function worstInMany(section: DeploymentReview): Phrase {
  const what = section.problems.length > 0 ? say`does not compile` : worstOf(section);
  return say`${named(section.name)}: ${what ?? say`look closely`}`;
}
