import type { Compilation, LayoutNode } from "../model/compilation.ts";
import {
  type Fact,
  type FieldsOfResource,
  failed,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import { shorten } from "../redaction/graphemes.ts";

/** Nobody reads more of them, and a comment or a log has no space for more. */
const maxProblems = 500;
/** CUE quotes the wrong value, and an adapter can make that arbitrarily long. */
const maxText = 4_000;
/** A message shows at most this many values. */
const maxFacts = 10;
/** One conflict can have as many sources as there are files. */
const maxPlaces = 20;
/** Real adapters have five levels at most; functions that walk the layout recurse for each. */
const maxComposites = 50;

/**
 * A result of limited size: few and short problems or warnings, of which the first are kept, and a layout that is not
 * too deep.
 */
export function boundResult(result: Result<Compilation>): Result<Compilation> {
  if (!result.ok) return failed(bounded(result.problems));
  const { layout, warnings } = result.value;
  const deep = layout.composites.flatMap((use) => tooDeep(use, use, maxComposites) ?? [])[0];
  if (deep !== undefined) return failed([deep]);
  return { ok: true, value: { ...result.value, warnings: bounded(warnings) } };
}

function tooDeep(node: LayoutNode, use: LayoutNode, levels: number): Problem | undefined {
  if (levels > 0) {
    return node.composites.flatMap((inner) => tooDeep(inner, use, levels - 1) ?? [])[0];
  }
  return {
    code: "evaluation-limit",
    where: [{ file: node.file, line: node.line, column: 1 }],
    what: `"${use.pattern}" has composites in more than ${maxComposites} levels`,
    fix: "Look in the adapter for a composite that contains itself",
  };
}

function bounded(problems: readonly Problem[]): readonly Problem[] {
  const told = problems
    .slice(0, maxProblems)
    .map(({ code, where, what, why, fix, facts, about }) => ({
      code,
      where: where.slice(0, maxPlaces),
      what: short(what),
      ...(why === undefined ? {} : { why: short(why) }),
      ...(facts === undefined ? {} : { facts: shortFacts(facts) }),
      fix: short(fix),
      ...(about !== undefined && isShort(about) ? { about } : {}),
    }));
  const left = problems.length - told.length;
  if (left === 0) return told;
  const fix = "Correct the others first: these often follow from them";
  // At the place of the last one, so that it stays behind it wherever problems are sorted.
  const where = told.at(-1)?.where.slice(0, 1) ?? [];
  return [
    ...told,
    { code: "more-problems", where, what: `There are ${left} more problems like these`, fix },
  ];
}

/** Nothing is shown of it, so what is too long is simply not known. */
function isShort(about: readonly FieldsOfResource[]): boolean {
  return JSON.stringify(about).length <= maxText;
}

function shortFacts(facts: readonly Fact[]): readonly Fact[] {
  return facts
    .slice(0, maxFacts)
    .map(({ label, value }) => ({ label: short(label), value: short(value) }));
}

function short(text: string): string {
  return shorten(text, maxText);
}
