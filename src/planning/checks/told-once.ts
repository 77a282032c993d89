import { distinct, type Problem } from "../../model/problems/problem.ts";

/*
 * A field that doesn't exist causes two problems. Compiling the adapter reports it with its line
 * and the intended name. The API server rejects the object. qvs shows only one problem: with the
 * API server's message, and with the place and the fix from compiling.
 */

/** Adds the place and the fix from compiling to each blocker about the same fields. */
export function withCures(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return blockers.map((blocker) => {
    const same = warnings.filter((warning) => isOfSameFields(warning, blocker));
    if (same.length === 0) return blocker;
    const where = distinct(same.flatMap((each) => each.where));
    const fix = [...new Set(same.map((each) => each.fix))].join("; ");
    return { ...blocker, where: where.length === 0 ? blocker.where : where, fix };
  });
}

/** Lists the warnings that no blocker covers. */
export function notToldBy(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return warnings.filter((warning) => !blockers.some((each) => isOfSameFields(warning, each)));
}

/**
 * Reports whether a warning and a blocker are about the same fields.
 * An ownership conflict doesn't count: it shows nothing about the value of the field.
 */
function isOfSameFields(warning: Problem, blocker: Problem): boolean {
  if (blocker.code === "field-conflict") return false;
  const { about: fields = [] } = warning;
  const { about: told = [] } = blocker;
  const isTold = (resource: string, field: string) =>
    told.some((each) => each.resource === resource && each.fields.includes(field));
  return (
    fields.length > 0 &&
    fields.every((each) => each.fields.every((field) => isTold(each.resource, field)))
  );
}
