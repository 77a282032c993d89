import {
  type Fact,
  failed,
  type Problem,
  type ResourceFields,
  type Result,
} from "../model/problems/problem.ts";
import type { Compilation, LayoutNode } from "../model/sources/compilation.ts";
import { shorten } from "../redaction/wrap.ts";

/** The maximum number of problems. A comment or a log has no space for more. */
const maxProblems = 500;
/** CUE quotes the wrong value, which an adapter can make arbitrarily long. */
const maxText = 4_000;
/** A message shows at most this many values and this many fixes. */
const maxFacts = 10;
/** One conflict can have as many sources as there are files. */
const maxPlaces = 20;
/** Real adapters have at most five levels. Functions on the layout recurse once per level. */
const maxComposites = 50;

/**
 * Limits the size of a result. It keeps the first problems or warnings, shortens their text, and
 * fails if the layout is too deep.
 */
export function limitResult(result: Result<Compilation>): Result<Compilation> {
  if (!result.ok) return failed(limitProblems(result.problems));
  const { layout, warnings } = result.value;
  const deep = layout.composites.flatMap((use) => depthProblem(use, use, maxComposites) ?? [])[0];
  if (deep !== undefined) return failed([deep]);
  return { ok: true, value: { ...result.value, warnings: limitProblems(warnings) } };
}

function depthProblem(node: LayoutNode, use: LayoutNode, levels: number): Problem | undefined {
  if (levels > 0) {
    return node.composites.flatMap((inner) => depthProblem(inner, use, levels - 1) ?? [])[0];
  }
  return {
    code: "evaluation-limit",
    where: [{ file: node.file, line: node.line, column: 1 }],
    what: `Adapter "${use.pattern}" has more than ${maxComposites} levels of composites`,
    fix: "Find the composite of the adapter that contains itself",
  };
}

function limitProblems(problems: readonly Problem[]): readonly Problem[] {
  const shown = problems
    .slice(0, maxProblems)
    .map(({ code, where, what, why, fix, otherwise, facts, about }) => ({
      code,
      where: where.slice(0, maxPlaces),
      what: shortenText(what),
      ...(why === undefined ? {} : { why: shortenText(why) }),
      ...(facts === undefined ? {} : { facts: shortFacts(facts) }),
      fix: shortenText(fix),
      ...(otherwise === undefined
        ? {}
        : { otherwise: otherwise.slice(0, maxFacts).map(shortenText) }),
      ...(about !== undefined && isShort(about) ? { about } : {}),
    }));
  const left = problems.length - shown.length;
  if (left === 0) return shown;
  return [
    ...shown,
    {
      code: "more-problems",
      // The last problem's place keeps this entry behind that problem wherever problems are sorted.
      where: shown.at(-1)?.where.slice(0, 1) ?? [],
      what: `${left} more ${left === 1 ? "problem like these isn't" : "problems like these aren't"} shown`,
      fix: "Fix the other problems first: these often follow from them",
    },
  ];
}

/**
 * Reports whether `about` is short enough to keep. It is never shown, so a longer one is dropped
 * instead of shortened.
 */
function isShort(about: readonly ResourceFields[]): boolean {
  return JSON.stringify(about).length <= maxText;
}

function shortFacts(facts: readonly Fact[]): readonly Fact[] {
  return facts
    .slice(0, maxFacts)
    .map(({ label, value }) => ({ label: shortenText(label), value: shortenText(value) }));
}

function shortenText(text: string): string {
  return shorten(text, maxText);
}
