import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { closest } from "../model/text/closest.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../ports/cue.ts";
import type { Adapter } from "./load-adapter.ts";
import { places } from "./places.ts";
import { explainMessage, isStructuralCycle } from "./problems/cue-words.ts";
import { withoutValues } from "./problems/without-values.ts";

/** One element of `composites` (docs/reference/adapters.md#fields). */
export interface Composite {
  readonly pattern: CueValue;
  readonly params: CueValue | undefined;
  readonly group: string | undefined;
  readonly where: Position;
}

const keys = ["pattern", "params", "pipelineParams", "group"];

/** The fields of which an adapter has at least one. */
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
 * Reads an element of `composites`. Every unreadable part is a problem: without the composite, all
 * its resources would be missing, and qvs would plan their deletion.
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
  const said = explainMessage(withoutValues(error.message), error.known);
  return {
    code: said.code ?? "evaluation-failed",
    where: places(...error.positions, where),
    what: `${title} cannot be evaluated: ${said.what}`,
    fix: said.fix ?? "Give the params that it is made from, or correct the adapter",
  };
}

function unknownKey(title: string, { name, position }: CueField, where: Position): Problem[] {
  if (keys.includes(name)) return [];
  const meant = closest(name, keys);
  const what = `${title} has the unknown field "${name}"`;
  const fix = meant === undefined ? `It may have ${keys.join(", ")}` : `Did you mean "${meant}"?`;
  return [{ code: "unknown-field", where: places(position, where), what, fix }];
}

function patternProblems(
  title: string,
  fields: readonly CueField[],
  where: Position,
  cue: Cue,
): readonly Problem[] {
  const field = fields.find(({ name, optional }) => name === "pattern" && !optional);
  if (field === undefined) {
    // A misspelled key is already reported.
    if (fields.some(({ name }) => !keys.includes(name) && closest(name, ["pattern"]))) return [];
    const fix = "Add `pattern: PACKAGE.DesignPattern` to it";
    return [{ code: "invalid-composite", where: [where], what: `${title} has no pattern`, fix }];
  }
  const faults = [...cue.fault(field.value), ...cyclesIn(field, cue)].map((error) =>
    faulty(`${title}: its pattern`, error, where),
  );
  if (faults.length > 0) return faults;
  const at = places(field.position, where);
  if (cue.lookup(field.value, ["DesignPattern"]) !== undefined) {
    const what = `${title} has a package for a pattern`;
    return [
      { code: "invalid-composite", where: at, what, fix: "Write `pattern: PACKAGE.DesignPattern`" },
    ];
  }
  const isAdapter =
    /struct|_\|_/.test(field.kind) &&
    cue.fields(field.value).some(({ name }) => parts.includes(name));
  if (isAdapter) return [];
  const what = `${title} has a pattern that is not an adapter`;
  return [
    { code: "invalid-composite", where: at, what, fix: "Write `pattern: PACKAGE.DesignPattern`" },
  ];
}

/**
 * Finds an adapter that is composed of itself. CUE stops at the cycle, and the resources below
 * would be missing.
 */
function cyclesIn({ kind, value }: CueField, cue: Cue): readonly CueProblem[] {
  // Without its params, an adapter can have errors that the params resolve.
  const errors = kind.includes("_|_") ? cue.validate(value, false) : [];
  return errors.filter(isStructuralCycle).slice(0, 1);
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
  const what = `The params of ${title} are not a struct`;
  return [
    {
      code: "invalid-composite",
      where: places(field.position, where),
      what,
      fix: "Write params: {NAME: VALUE}",
    },
  ];
}

/**
 * Reads the group of an element of `composites` or of an adapter; undefined for no group and for
 * "".
 * A group without a value is a problem: without the group, the ids would be unified with ids
 * outside it.
 */
export function readGroup(
  value: CueValue,
  title: string,
  where: Position,
  cue: Cue,
): Result<string | undefined> {
  const field = cue.fields(value).find(({ name, optional }) => name === "group" && !optional);
  if (field === undefined) return ok(undefined);
  const exported = cue.export(field.value);
  if (exported.ok && typeof exported.value === "string") return ok(exported.value || undefined);
  return failed([
    {
      code: "invalid-composite",
      where: places(field.position, where),
      what: `${title} is not text`,
      fix: "Give the param that it is made from, or write a name",
    },
  ]);
}
