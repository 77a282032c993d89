import { fieldOf } from "../model/json.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import type { Cue, CueField, CueValue } from "../ports/cue.ts";
import type { Adapter } from "./load-adapter.ts";
import { argumentPlaces, distinctPlaces } from "./positions.ts";
import { incompleteType } from "./problems/explain-message.ts";
import { wrongParameters } from "./problems/wrong-parameters.ts";

export interface BoundAdapter {
  readonly value: CueValue;
  readonly warnings: readonly Problem[];
}

/**
 * Unifies the arguments of an adapter with its `parameters`
 * (docs/reference/adapters.md#parameters).
 * Returns one problem for each parameter that is missing, has the wrong type or violates a
 * constraint. Returns a warning for each argument that the adapter doesn't declare.
 */
export function bindParameters(adapter: Adapter, cue: Cue): Result<BoundAdapter> {
  const { declared, given, unknown } = compareArguments(adapter, cue);
  const value = withParams(adapter, given, unknown, cue);
  const wrong = wrongParameters(adapter, value, declared, given, cue);
  const missing = missingParameters(value, new Set(wrong.map(({ name }) => name)), cue);
  const problems = [
    ...wrong.map(({ problem }) => problem),
    ...missing.map((parameter) => missingProblem(parameter, unknown, adapter)),
  ];
  return problems.length > 0
    ? failed(problems)
    : ok({ value, warnings: unknownProblems(unknown, declared, adapter) });
}

/** Returns a warning for each argument that the adapter doesn't declare. */
export function unknownArguments(adapter: Adapter, cue: Cue): readonly Problem[] {
  const { declared, unknown } = compareArguments(adapter, cue);
  return unknownProblems(unknown, declared, adapter);
}

/** Unifies the arguments of an adapter with its `parameters` without any check. */
export function fillParameters(adapter: Adapter, cue: Cue): CueValue {
  const { given, unknown } = compareArguments(adapter, cue);
  return withParams(adapter, given, unknown, cue);
}

/**
 * Compares the arguments with the declared parameters. A condition can declare a parameter once
 * another one has a value, so the declared arguments are filled in first.
 */
function compareArguments({ value, params }: Adapter, cue: Cue) {
  const given = params === undefined ? [] : cue.fields(params);
  let declared = parameterFields(value, cue);
  let unknown = unknownParameters(declared, given);
  while (unknown.length > 0) {
    const known = given.filter((field) => !unknown.includes(field));
    declared = parameterFields(fillEach(value, known, cue), cue);
    const rest = unknownParameters(declared, given);
    if (rest.length >= unknown.length) break;
    unknown = rest;
  }
  return { declared, given, unknown };
}

function fillEach(value: CueValue, fields: readonly CueField[], cue: Cue): CueValue {
  return fields.reduce(
    (filled, field) => cue.fill(filled, ["parameters", field.name], field.value),
    value,
  );
}

/**
 * Fills in undeclared arguments too, because patterns such as `[string]: string` can need them.
 * Only a closed definition rejects an undeclared argument. qvs then omits it, and the user gets a
 * warning.
 */
function withParams(
  { value, params }: Adapter,
  given: readonly CueField[],
  unknown: readonly CueField[],
  cue: Cue,
): CueValue {
  if (params === undefined) return value;
  const filled = cue.fill(value, ["parameters"], params);
  if (unknown.length === 0) return filled;
  const parameters = cue.lookup(filled, ["parameters"]);
  const errors = parameters === undefined ? [] : cue.validate(parameters, false);
  const refused = unknown.filter(({ name }) =>
    errors.some(({ message, path }) => message === "field not allowed" && path.at(-1) === name),
  );
  if (refused.length === 0) return filled;
  const accepted = given.filter((field) => !refused.includes(field));
  return fillEach(value, accepted, cue);
}

function parameterFields(value: CueValue, cue: Cue): readonly CueField[] {
  const struct = cue.lookup(value, ["parameters"]);
  return struct === undefined ? [] : cue.fields(struct);
}

/** A parameter without a value, or the missing part of a parameter with an incomplete value. */
interface MissingParameter {
  readonly path: string;
  readonly field: CueField;
  /** The expected type, e.g. "string". */
  readonly kind: string;
}

function missingParameters(
  bound: CueValue,
  wrong: ReadonlySet<string>,
  cue: Cue,
): MissingParameter[] {
  return parameterFields(bound, cue)
    .filter((field) => !field.optional && !wrong.has(field.name))
    .flatMap((field) => {
      const [error] = cue.validate(field.value, true);
      if (error === undefined) return [];
      const start = Math.max(0, error.path.indexOf(field.name));
      const kind = incompleteType(error) ?? field.kind;
      return [{ path: error.path.slice(start).join("."), field, kind }];
    });
}

/**
 * Describes a missing parameter. If an undeclared argument looks like a misspelling of it, the
 * problem points to that argument.
 */
function missingProblem(
  { path, field, kind }: MissingParameter,
  unknown: readonly CueField[],
  adapter: Adapter,
): Problem {
  const source = fieldOf(adapter.sources, field.name);
  if (source !== undefined && path === field.name) {
    return {
      code: "incomplete-value",
      where: distinctPlaces(...argumentPlaces(source, []), field.position),
      what: `Parameter "${path}" of "${adapter.pattern}" matches several forms that the adapter allows`,
      fix: "Set every field that one of these forms requires",
    };
  }
  const what = `Parameter "${path}" of "${adapter.pattern}" is missing`;
  const type = { label: "type", value: kind };
  const misspelled = unknown.find(({ name }) => closest(name, [field.name]) !== undefined);
  if (misspelled === undefined || path !== field.name) {
    const written = argumentPlaces(fieldOf(adapter.sources, field.name), path.split(".").slice(1));
    const where = distinctPlaces(
      ...(written.length > 0 ? written : [adapter.where]),
      field.position,
    );
    return {
      code: "missing-parameter",
      where,
      what,
      facts: [type],
      fix: `Add "${path}" to the params of this pattern`,
    };
  }
  return {
    code: "missing-parameter",
    where: distinctPlaces(argumentPlace(misspelled, adapter), field.position),
    what,
    facts: [type, { label: "found", value: `"${misspelled.name}"` }],
    fix: `Did you mean "${field.name}" instead of "${misspelled.name}"?`,
  };
}

function unknownParameters(
  declared: readonly CueField[],
  given: readonly CueField[],
): readonly CueField[] {
  return given.filter(({ name }) => !declared.some((field) => field.name === name));
}

function unknownProblems(
  unknown: readonly CueField[],
  declared: readonly CueField[],
  adapter: Adapter,
): readonly Problem[] {
  const names = declared.map(({ name }) => name);
  return unknown.map((field) => ({
    code: "unknown-parameter",
    where: [argumentPlace(field, adapter)],
    what: `Parameter "${field.name}" isn't declared by "${adapter.pattern}"`,
    ...suggest(
      closest(field.name, names),
      `Remove "${field.name}"`,
      "rename it to a parameter of the adapter",
    ),
  }));
}

function argumentPlace(field: CueField, adapter: Adapter): Position {
  return fieldOf(adapter.sources, field.name)?.where ?? field.position ?? adapter.where;
}
