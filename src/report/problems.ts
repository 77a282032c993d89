import type { Position, Problem } from "../model/problems/problem.ts";
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

/** A Markdown list: what, where, the code that docs/reference/errors.md explains, and what to do under it. */
export function renderProblems(problems: readonly Problem[], show: ShowPlace): Markdown {
  return joined(
    problems.map((problem) => listItem(inMarkdown(problemInWords(problem), show))),
    "\n",
  );
}

export function problemInWords(problem: Problem): Phrase {
  const { what, where, code, fix, otherwise = [], inputs = [], paste = [] } = problem;
  const head = say`${strong(text(what))}${placesIn(where)} ${named(code)}`;
  const cure = cureInWords({ fix, paste });
  const others = itemsBelow(otherwise.map((other) => say`or ${text(other)}`));
  const flags = listOf(inputsInWords(inputs), nextLine);
  const isApart = paste.length + others.length > 0;
  return [
    ...[...head, ...cure, ...others],
    ...(flags.length === 0 ? [] : [...(isApart ? nextParagraph : nextLine), ...flags]),
  ];
}

/** What to do, and the lines to paste into the manifest. */
export function cureInWords({ fix, paste = [] }: Pick<Problem, "fix" | "paste">): Phrase {
  if (fix === "") return linesBelow(paste);
  const into = paste.length === 0 ? "" : ", in its manifest:";
  return [...say`${nextLine}→ ${text(`${fix}${into}`)}`, ...linesBelow(paste)];
}

/** A flag is of no use to whoever has only the workflows: both of them, so that the preview does what is deployed. */
function inputsInWords(inputs: readonly string[]): readonly Phrase[] {
  return inputs.map((input) => {
    const flag = named(`--${input.replace(/:.*/s, "")}`);
    return say`On GitHub, instead of ${flag}: write ${named(input)} below ${named("with:")} in plan.yml and deploy.yml`;
  });
}

/** ` (a.cue:1:2 and b.cue:3:4)`, or nothing. */
export function placesIn(where: readonly Position[]): Phrase {
  return where.length === 0 ? [] : say` (${listPlaces(where)})`;
}

export function listPlaces(where: readonly Position[]): Phrase {
  return listOf(
    where.map((position) => placed(position, named(placeOf(position)))),
    " and ",
  );
}

export function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
