import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { closest } from "../model/text/suggest.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../ports/cue.ts";
import type { Adapter } from "./load-adapter.ts";
import { distinctPlaces } from "./positions.ts";
import { isStructuralCycle } from "./problems/explain-message.ts";
import { explainProblem } from "./problems/explain-problem.ts";
import { unsetFieldProblem } from "./problems/stage-problems.ts";
import { withoutValues } from "./problems/without-values.ts";

/** One element of `composites` (docs/reference/adapters.md#fields). */
export interface CompositeEntry {
  readonly pattern: CueValue;
  readonly params: CueValue | undefined;
  readonly group: string | undefined;
  readonly where: Position;
}

const compositeKeys = ["pattern", "params", "pipelineParams", "group"];

/** The fields of which an adapter has at least one. */
const adapterFields = [
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
): Result<CompositeEntry> {
  const where = cue.position(element) ?? parent.where;
  const title = `composites[${index}] of "${parent.pattern}"`;
  const fields = cue.fields(element);
  const problems = [
    ...ownErrors(element, cue).map((error) => faulty(title, "", error, where)),
    ...fields.flatMap((field) => unknownKeyProblems(title, field, where)),
    ...fields
      .filter(({ required }) => required)
      .map((field) => unsetKeyProblem(title, field, where)),
    ...patternProblems(title, fields, where, cue),
    ...paramsProblems(title, fields, where, cue),
  ];
  const group = readGroup(element, title, where, cue);
  if (!group.ok) problems.push(...group.problems);
  const pattern = cue.lookup(element, ["pattern"]);
  if (problems.length > 0 || pattern === undefined || !group.ok) return failed(problems);
  return ok({ pattern, params: cue.lookup(element, ["params"]), group: group.value, where });
}

/**
 * Returns the errors that hide fields of a value. Errors of its parts make the list of composites
 * invalid, or are reported after the params are bound.
 */
function ownErrors(value: CueValue, cue: Cue): readonly CueProblem[] {
  return cue.fault(value).own;
}

function faulty(title: string, field: string, error: CueProblem, where: Position): Problem {
  const shown = { ...error, message: withoutValues(error.message) };
  return {
    ...explainProblem(
      shown,
      { name: title, field },
      {
        code: "evaluation-failed",
        fact: "can't be evaluated",
        fix: "Set the parameters that it is made from",
        otherwise: ["correct the adapter"],
      },
    ),
    where: distinctPlaces(...error.positions, where),
  };
}

function unknownKeyProblems(
  title: string,
  { name, position }: CueField,
  where: Position,
): Problem[] {
  if (compositeKeys.includes(name)) return [];
  const meant = closest(name, compositeKeys);
  const what = `${title} has the unknown field "${name}"`;
  const fix =
    meant === undefined
      ? `Use only the fields ${compositeKeys.join(", ")}`
      : `Did you mean "${meant}"?`;
  return [{ code: "unknown-field", where: distinctPlaces(position, where), what, fix }];
}

function unsetKeyProblem(title: string, field: CueField, where: Position): Problem {
  return { ...unsetFieldProblem(title, field), where: distinctPlaces(field.position, where) };
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
    if (fields.some(({ name }) => !compositeKeys.includes(name) && closest(name, ["pattern"])))
      return [];
    const fix = "Add `pattern: PACKAGE.DesignPattern` to it";
    return [{ code: "invalid-composite", where: [where], what: `${title} has no pattern`, fix }];
  }
  const isAdapter =
    /struct|_\|_/.test(field.kind) &&
    cue.fields(field.value).some(({ name }) => adapterFields.includes(name));
  // The params can decide the conditions of an adapter, which are checked after they are bound.
  const own = isAdapter ? [] : ownErrors(field.value, cue);
  const faults = [...own, ...findCycle(field, cue)].map((error) =>
    faulty(title, "pattern", error, where),
  );
  if (faults.length > 0) return faults;
  const at = distinctPlaces(field.position, where);
  if (cue.lookup(field.value, ["DesignPattern"]) !== undefined) {
    const what = `${title} has a package as its pattern`;
    return [
      { code: "invalid-composite", where: at, what, fix: "Write `pattern: PACKAGE.DesignPattern`" },
    ];
  }
  if (isAdapter) return [];
  const what = `${title} has a pattern that isn't an adapter`;
  return [
    { code: "invalid-composite", where: at, what, fix: "Write `pattern: PACKAGE.DesignPattern`" },
  ];
}

/**
 * Finds an adapter that is composed of itself. CUE stops at the cycle, and the resources below
 * would be missing.
 */
function findCycle({ kind, value }: CueField, cue: Cue): readonly CueProblem[] {
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
  const faults = ownErrors(field.value, cue).map((error) => faulty(title, "params", error, where));
  if (faults.length > 0 || field.kind === "struct") return faults;
  const what = `${title} has params that aren't a struct`;
  return [
    {
      code: "invalid-composite",
      where: distinctPlaces(field.position, where),
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
      where: distinctPlaces(field.position, where),
      what: `${title} has a group that isn't a string`,
      fix: "Set the parameter that it is made from",
      otherwise: ["write a name"],
    },
  ]);
}
