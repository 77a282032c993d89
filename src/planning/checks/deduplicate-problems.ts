import { distinct, type Problem } from "../../model/problems/problem.ts";

/*
 * A field that doesn't exist causes two problems. Compiling the adapter reports it with its line
 * and the intended name. The API server rejects the object. qvs shows only one problem: with the
 * API server's message, and with the place and the fix from compiling.
 */

/** Adds the place and the fix from compiling to each blocker about the same fields. */
export function withCompileFixes(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return blockers.map((blocker) => {
    const same = warnings.filter((warning) => concernsSameFields(warning, blocker));
    if (same.length === 0) return blocker;
    const where = distinct(same.flatMap((each) => each.where));
    const fix = [...new Set(same.map((each) => each.fix))].join("; ");
    const otherwise = [...new Set(same.flatMap((each) => each.otherwise ?? []))];
    return { ...blocker, where: where.length === 0 ? blocker.where : where, fix, otherwise };
  });
}

/** Lists the warnings that no blocker covers. */
export function unreportedWarnings(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return warnings.filter((warning) => !blockers.some((each) => concernsSameFields(warning, each)));
}

/**
 * Reports whether a warning and a blocker are about the same fields.
 * An ownership conflict doesn't count: it shows nothing about the value of the field.
 */
function concernsSameFields(warning: Problem, blocker: Problem): boolean {
  if (blocker.code === "field-conflict") return false;
  const { about: fields = [] } = warning;
  const { about: reported = [] } = blocker;
  const isReported = (resource: string, field: string) =>
    reported.some((each) => each.resource === resource && each.fields.includes(field));
  return (
    fields.length > 0 &&
    fields.every((each) => each.fields.every((field) => isReported(each.resource, field)))
  );
}
