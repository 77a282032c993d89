import { closest } from "../model/closest.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problem.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../ports.ts";
import { inWords } from "./cue-words.ts";
import type { Adapter } from "./load-adapter.ts";
import { places } from "./places.ts";
import { readGroup } from "./read-group.ts";
import { withoutValues } from "./without-values.ts";

/** One element of `composites` (spec §2). */
export interface Composite {
  readonly pattern: CueValue;
  readonly params: CueValue | undefined;
  readonly group: string | undefined;
  readonly where: Position;
}

const keys = ["pattern", "params", "pipelineParams", "group"];

/** What makes a struct an adapter. */
const parts = [
  "name",
  "parameters",
  "composites",
  "resources",
  "defer",
  "pipelines",
  "pipelineParameters",
];

/**
 * Whatever cannot be read of an element is a problem: an adapter that is not composed is missing with all its resources,
 * and what is missing is planned as a deletion.
 */
export function readComposite(
  parent: Adapter,
  element: CueValue,
  index: number,
  cue: Cue,
): Result<Composite> {
  const where = cue.position(element) ?? parent.where;
  const title = `composites[${index}] of "${parent.pattern}"`;
  const fields = cue.fields(element);
  const problems = [
    ...cue.fault(element).map((error) => faulty(title, error, where)),
    ...fields.flatMap((field) => unknownKey(title, field, where)),
    ...patternProblems(title, fields, where, cue),
    ...paramsProblems(title, fields, where, cue),
  ];
  const group = readGroup(element, `The group of ${title}`, where, cue);
  if (!group.ok) problems.push(...group.problems);
  const pattern = cue.lookup(element, ["pattern"]);
  if (problems.length > 0 || pattern === undefined || !group.ok) return failed(problems);
  return ok({ pattern, params: cue.lookup(element, ["params"]), group: group.value, where });
}

function faulty(title: string, error: CueProblem, where: Position): Problem {
  const said = inWords(withoutValues(error.message), error.known);
  return {
    where: places(...error.positions, where),
    what: `${title} cannot be evaluated: ${said.what}`,
    fix: said.fix ?? "Give the params that it is made from, or correct the adapter",
  };
}

function unknownKey(title: string, { name, position }: CueField, where: Position): Problem[] {
  if (keys.includes(name)) return [];
  const meant = closest(name, keys);
  const what = `${title} has a field "${name}" that nobody reads`;
  const fix = meant === undefined ? `It may have ${keys.join(", ")}` : `Did you mean "${meant}"?`;
  return [{ where: places(position, where), what, fix }];
}

function patternProblems(
  title: string,
  fields: readonly CueField[],
  where: Position,
  cue: Cue,
): readonly Problem[] {
  const field = fields.find(({ name, optional }) => name === "pattern" && !optional);
  if (field === undefined) {
    // A key that is nearly right has been told already.
    if (fields.some(({ name }) => !keys.includes(name) && closest(name, ["pattern"]))) return [];
    const fix = "Add `pattern: PACKAGE.DesignPattern` to it";
    return [{ where: [where], what: `${title} has no pattern`, fix }];
  }
  const faults = [...cue.fault(field.value), ...cyclesIn(field, cue)].map((error) =>
    faulty(`${title}: its pattern`, error, where),
  );
  if (faults.length > 0) return faults;
  const at = places(field.position, where);
  if (cue.lookup(field.value, ["DesignPattern"]) !== undefined) {
    const what = `${title} has a package for a pattern`;
    return [{ where: at, what, fix: "Write `pattern: PACKAGE.DesignPattern`" }];
  }
  const isAdapter =
    /struct|_\|_/.test(field.kind) &&
    cue.fields(field.value).some(({ name }) => parts.includes(name));
  if (isAdapter) return [];
  const what = `${title} has a pattern that is no adapter`;
  return [{ where: at, what, fix: "Write `pattern: PACKAGE.DesignPattern`" }];
}

/** An adapter that is composed of itself: CUE stops where it comes round, and what is below would be gone. */
function cyclesIn({ kind, value }: CueField, cue: Cue): readonly CueProblem[] {
  // Without its params an adapter may hold errors that they will settle.
  const errors = kind.includes("_|_") ? cue.validate(value, false) : [];
  return errors.filter(({ message }) => message.includes("structural cycle")).slice(0, 1);
}

function paramsProblems(
  title: string,
  fields: readonly CueField[],
  where: Position,
  cue: Cue,
): readonly Problem[] {
  const field = fields.find(({ name }) => name === "params");
  if (field === undefined) return [];
  const faults = cue
    .fault(field.value)
    .map((error) => faulty(`${title}: its params`, error, where));
  if (faults.length > 0 || field.kind === "struct") return faults;
  const what = `The params of ${title} are no struct`;
  return [{ where: places(field.position, where), what, fix: "Write params: {NAME: VALUE}" }];
}
