import { distinct, type Problem } from "../../model/problems/problem.ts";

/*
 * A field that does not exist is noticed twice: when the adapter is compiled, with its line and the name that was meant, and by the server,
 * which refuses the object. Readers are told once: what the server says, at the place and with the cure that compiling knows.
 */

/** The blockers of a plan, each with what compiling knows of the same fields. */
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

/** The warnings that no blocker tells. */
export function notToldBy(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return warnings.filter((warning) => !blockers.some((each) => isOfSameFields(warning, each)));
}

/** That somebody else owns a field says nothing of its value. */
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
