import type { Finding } from "../model/problems/finding.ts";
import type { Position, Problem } from "../model/problems/problem.ts";
import { findingLabel, formatPosition } from "../model/problems/problem-text.ts";
import { listItem } from "../redaction/markdown.ts";
import {
  bulletList,
  inlineCode,
  joinPhrases,
  lineBreak,
  type Phrase,
  paragraphBreak,
  phraseToMarkdown,
  placeLink,
  say,
  strong,
  text,
  yamlBlock,
} from "../redaction/phrase.ts";
import { joined, type Markdown, type TerminalText } from "../redaction/shown.ts";
import { terminal } from "../redaction/terminal.ts";
import type { ShowPlace } from "./comment/place-links.ts";
import { type Looks, line, problemTextLines, showLines, type TextLine } from "./text/text-lines.ts";

/** Renders a list of errors. docs/reference/errors.md explains their codes. */
export function renderProblems(problems: readonly Problem[], show: ShowPlace): Markdown {
  return joined(
    problems.map((problem) => listItem(phraseToMarkdown(problemPhrase(problem), show))),
    "\n",
  );
}

/** Returns the fact, **Why**, **Fix** with the lines to paste, and **Where**, one per line. */
export function problemPhrase(problem: Problem): Phrase {
  return factsPhrase(problem);
}

interface ProblemFacts extends Omit<Problem, "code"> {
  readonly code: string;
  /** True if it existed before the pull request. */
  readonly isOlder?: boolean;
}

function factsPhrase(facts: ProblemFacts): Phrase {
  const { what, where, code, why = "", fix, otherwise = [], inputs = [], paste = [] } = facts;
  const others = bulletList(otherwise.map((other) => say`or ${text(other)}`));
  const flags = joinPhrases(inputPhrases(inputs), lineBreak);
  const isApart = paste.length + others.length > 0;
  const below = isApart ? paragraphBreak : lineBreak;
  const place =
    where.length === 0
      ? say`${strong(say`Code`)} `
      : say`${strong(say`Where`)} ${listPlaces(where)} · `;
  return [
    ...strong(text(what)),
    ...(facts.isOlder === true
      ? say`${lineBreak}Not caused by this pull request: the problem existed before.`
      : []),
    ...(why === "" ? [] : say`${lineBreak}${strong(say`Why`)} ${text(why)}`),
    ...(facts.facts ?? []).flatMap(
      ({ label, value }) => say`${lineBreak}${strong(text(titled(label)))} ${inlineCode(value)}`,
    ),
    ...fixPhrase({ fix, paste }),
    ...others,
    ...(flags.length === 0 ? [] : [...below, ...flags]),
    ...(flags.length === 0 ? below : lineBreak),
    ...place,
    ...inlineCode(code),
  ];
}

function titled(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Returns the action and the lines to paste into the manifest. */
function fixPhrase({ fix, paste = [] }: Pick<Problem, "fix" | "paste">): Phrase {
  if (fix === "") return yamlBlock(paste);
  return [...say`${lineBreak}${strong(say`Fix`)} ${text(fix)}`, ...yamlBlock(paste)];
}

/** Names the workflows that have the input. Preview and deployment must use the same inputs. */
function inputPhrases(inputs: readonly string[]): readonly Phrase[] {
  return inputs.map((input) => {
    const name = input.replace(/:.*/s, "");
    const flag = inlineCode(`--${name}`);
    const affected = workflowsWith(name).length === 1 ? "this workflow" : "these workflows";
    const after = onceOnly.test(input)
      ? say`, and remove it after the deployment. It affects every deployment of ${text(affected)}`
      : [];
    const where = text(workflowsInWords(name));
    return say`On GitHub, set ${inlineCode(input)} under ${inlineCode("with:")} in ${where} instead of ${flag}${after}`;
  });
}

/** A user runs either a rollback or a correction, but always both a preview and a deployment. */
function workflowsInWords(input: string): string {
  const workflows = workflowsWith(input);
  return workflows.join(workflows.includes("plan.yml") ? " and " : " or ");
}

/** Returns the workflows in which a user sets an input. GitHub rejects an unknown input. */
export function workflowsWith(input: string): readonly string[] {
  if (["override-freeze", "allow-older"].includes(input)) return ["deploy.yml"];
  if (input === "allow-failed") return ["rollback.yml"];
  if (["allow-irreversible", "allow-outside-namespace"].includes(input)) {
    return ["rollback.yml", "drift.yml"];
  }
  return ["plan.yml", "deploy.yml"];
}

/** Inputs that are meant for one deployment. */
const onceOnly = /^(?:takeover|adopt|conflicts|allow-|override-)/;

function listPlaces(where: readonly Position[]): Phrase {
  return joinPhrases(
    where.map((position) => placeLink(position, inlineCode(formatPosition(position)))),
    " and ",
  );
}

/**
 * Returns the prediction, **Why**, **Fix** and **Where**. docs/reference/findings.md explains the
 * codes.
 */
export function findingPhrase(finding: Finding, isOlder = false): Phrase {
  return factsPhrase({ ...finding, isOlder });
}

/** Returns a short mention of a finding that an annotation allows. */
export function allowedFindingPhrase({ code, what, allowed }: Finding): Phrase {
  const where = allowed?.where ?? [];
  const by = where.length === 0 ? [] : say` by ${listPlaces(where)}`;
  return say`allowed${by}: ${text(what)} ${inlineCode(code)}`;
}

/** Returns an empty line and the lines of a finding. An allowed finding has only its place. */
export function findingLines(finding: Finding): readonly TextLine[] {
  const { code, what, allowed } = finding;
  const shown = allowed === undefined ? finding : { code, what, where: allowed.where, fix: "" };
  return [line(terminal``), ...problemTextLines(shown, findingLabel(finding))];
}

/** Renders the findings of a plan that is shown elsewhere. */
export function renderFindings(findings: readonly Finding[], looks: Looks): TerminalText {
  return findings.length === 0
    ? terminal``
    : terminal`${showLines(findings.flatMap(findingLines), looks)}\n`;
}
