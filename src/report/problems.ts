import type { Position, Problem } from "../model/problems/problem.ts";
import { placeOf } from "../model/problems/problem-text.ts";
import { listItem } from "../redaction/own-markdown.ts";
import {
  inMarkdown,
  itemsBelow,
  linesBelow,
  listOf,
  named,
  nextLine,
  nextParagraph,
  type Phrase,
  placed,
  say,
  strong,
  text,
} from "../redaction/phrase.ts";
import { joined, type Markdown } from "../redaction/shown.ts";
import type { ShowPlace } from "./comment/places.ts";

/** Renders a list of errors. docs/reference/errors.md explains their codes. */
export function renderProblems(problems: readonly Problem[], show: ShowPlace): Markdown {
  return joined(
    problems.map((problem) => listItem(inMarkdown(problemInWords(problem), show))),
    "\n",
  );
}

/** Returns the fact, **Why**, **Fix** with the lines to paste, and **Where**, one per line. */
export function problemInWords(problem: Problem): Phrase {
  return factsInWords(problem);
}

interface Facts extends Omit<Problem, "code"> {
  readonly code: string;
  /** True if it existed before the pull request. */
  readonly isOlder?: boolean;
}

export function factsInWords(facts: Facts): Phrase {
  const { what, where, code, why = "", fix, otherwise = [], inputs = [], paste = [] } = facts;
  const others = itemsBelow(otherwise.map((other) => say`or ${text(other)}`));
  const flags = listOf(inputsInWords(inputs), nextLine);
  const isApart = paste.length + others.length > 0;
  const below = isApart ? nextParagraph : nextLine;
  const place =
    where.length === 0
      ? say`${strong(say`Code`)} `
      : say`${strong(say`Where`)} ${listPlaces(where)} · `;
  return [
    ...strong(text(what)),
    ...(facts.isOlder === true
      ? say`${nextLine}Not caused by this pull request: the problem existed before.`
      : []),
    ...(why === "" ? [] : say`${nextLine}${strong(say`Why`)} ${text(why)}`),
    ...(facts.facts ?? []).flatMap(
      ({ label, value }) => say`${nextLine}${strong(text(titled(label)))} ${named(value)}`,
    ),
    ...fixInWords({ fix, paste }),
    ...others,
    ...(flags.length === 0 ? [] : [...below, ...flags]),
    ...(flags.length === 0 ? below : nextLine),
    ...place,
    ...named(code),
  ];
}

function titled(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Returns the action and the lines to paste into the manifest. */
function fixInWords({ fix, paste = [] }: Pick<Problem, "fix" | "paste">): Phrase {
  if (fix === "") return linesBelow(paste);
  return [...say`${nextLine}${strong(say`Fix`)} ${text(fix)}`, ...linesBelow(paste)];
}

/** Names both workflows, so that the preview and the deployment use the same inputs. */
function inputsInWords(inputs: readonly string[]): readonly Phrase[] {
  return inputs.map((input) => {
    const flag = named(`--${input.replace(/:.*/s, "")}`);
    const after = onceOnly.test(input) ? say`, and remove it after the deployment` : [];
    return say`On GitHub, set ${named(input)} under ${named("with:")} in plan.yml and deploy.yml instead of ${flag}${after}`;
  });
}

/** Inputs that are meant for one deployment. */
const onceOnly = /^(?:takeover|adopt|conflicts|allow-|override-)/;

export function listPlaces(where: readonly Position[]): Phrase {
  return listOf(
    where.map((position) => placed(position, named(placeOf(position)))),
    " and ",
  );
}
