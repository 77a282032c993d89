import type { Compilation, LayoutNode } from "../model/compilation.ts";
import {
  type FieldsOfResource,
  failed,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import { shorten } from "../redaction/graphemes.ts";

/** The maximum number of problems. A comment or a log has no space for more. */
const maxProblems = 500;
/** CUE quotes the wrong value, which an adapter can make arbitrarily long. */
const maxText = 4_000;
/** One conflict can have as many sources as there are files. */
const maxPlaces = 20;
/** Real adapters have at most five levels. Functions on the layout recurse once per level. */
const maxComposites = 50;

/**
 * Limits the size of a result. It keeps the first problems or warnings, shortens their text, and
 * fails if the layout is too deep.
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
  const told = problems.slice(0, maxProblems).map(({ code, where, what, fix, about }) => ({
    code,
    where: where.slice(0, maxPlaces),
    what: short(what),
    fix: short(fix),
    ...(about !== undefined && isShort(about) ? { about } : {}),
  }));
  const left = problems.length - told.length;
  if (left === 0) return told;
  const fix = "Correct the others first: these often follow from them";
  // The last problem's place keeps this entry behind that problem wherever problems are sorted.
  const where = told.at(-1)?.where.slice(0, 1) ?? [];
  return [
    ...told,
    { code: "more-problems", where, what: `There are ${left} more problems like these`, fix },
  ];
}

/**
 * Reports whether `about` is short enough to keep. It is never shown, so a longer one is dropped
 * instead of shortened.
 */
function isShort(about: readonly FieldsOfResource[]): boolean {
  return JSON.stringify(about).length <= maxText;
}

function short(text: string): string {
  return shorten(text, maxText);
}
