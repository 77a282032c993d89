import type { Position, Problem, UnplacedProblem } from "../../model/problems/problem.ts";
import { stages } from "../../model/sources/compilation.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../../ports/cue.ts";
import type { Adapter } from "../load-adapter.ts";
import { distinctPlaces } from "../positions.ts";
import { explainProblem } from "./explain-problem.ts";
import { withoutValues } from "./without-values.ts";

/**
 * Checks that CUE omitted nothing from `resources` and `defer`: a resource of a comprehension that
 * it can't resolve, or of a disjunction that it can't decide, is missing without an error.
 * Single resources are checked later, after everything is unified.
 */
export function stageProblems(adapter: CueValue, use: Adapter, cue: Cue): Problem[] {
  const inFields = (["resources", "defer"] as const).flatMap((field) => {
    const struct = cue.lookup(adapter, [field]);
    if (struct === undefined) return [];
    const inStages = stages.flatMap((stage) => {
      const value = cue.lookup(struct, [stage]);
      return value === undefined ? [] : structProblems(value, `${field}.${stage}`, use, cue);
    });
    return [...structProblems(struct, field, use, cue), ...inStages];
  });
  return [...parametersProblems(adapter, use, cue), ...inFields];
}

/** Rejects a condition in `parameters` without an answer. A test such as `x != _|_` would fail. */
function parametersProblems(adapter: CueValue, use: Adapter, cue: Cue): Problem[] {
  const parameters = cue.lookup(adapter, ["parameters"]);
  const errors = parameters === undefined ? [] : cue.fault(parameters).own;
  return errors.map((error) => stageProblem(error, "parameters", use));
}

function structProblems(struct: CueValue, place: string, use: Adapter, cue: Cue): Problem[] {
  const { own, parts } = cue.fault(struct);
  const fields = cue.fields(struct);
  const errors = own.length > 0 || fields.some(isBroken) ? own : parts;
  return [
    ...errors.map((error) => stageProblem(error, place, use)),
    ...fields.filter(({ required }) => required).map((field) => unsetProblem(field, place, use)),
  ];
}

/** Reports whether a field has an error, which a later check reports. */
function isBroken({ optional, required, kind }: CueField): boolean {
  return !optional && !required && kind === "_|_";
}

/** Rejects a required field of an adapter without a value. */
export function unsetProblem(field: CueField, place: string, use: Adapter): Problem {
  return {
    ...unsetFieldProblem(`Adapter "${use.pattern}"`, field),
    facts: [{ label: "path", value: place }],
    where: distinctPlaces(field.position, use.where),
  };
}

/**
 * Checks a list of composites without elements. If CUE can't evaluate it, its resources would be
 * missing.
 */
export function compositesProblems(list: CueValue, use: Adapter, cue: Cue): Problem[] {
  const { own, parts } = cue.fault(list);
  const errors = [...own, ...parts, ...cue.validate(list, false)];
  return errors.slice(0, 1).map((error) => stageProblem(error, "composites", use));
}

interface ConditionProblems {
  readonly problems: readonly Problem[];
  /** Conditions about pipelines, which run without their parameters here. */
  readonly warnings: readonly Problem[];
}

/**
 * Checks the conditions in the DesignPattern itself, such as one around `resources`. The resources
 * of a condition without an answer would be missing, so it is an error unless it only reads
 * parameters of pipelines.
 * An error anywhere else in the DesignPattern can hide such a condition, also in a field that qvs
 * ignores.
 */
export function conditionProblems(adapter: CueValue, use: Adapter, cue: Cue): ConditionProblems {
  const { own, parts } = cue.fault(adapter);
  const isOther = own.length === 0 ? () => false : pipelineConditions(adapter, own, cue);
  const described = (some: readonly CueProblem[]) =>
    some.map((error) => stageProblem(error, "DesignPattern", use));
  const hiding = parts.length === 0 || isReportedLater(adapter, cue) ? [] : parts;
  return {
    problems: described([...own.filter((error) => !isOther(error)), ...hiding]),
    warnings: described(own.filter(isOther)),
  };
}

/**
 * Rejects an adapter whose package has a condition or loop that CUE can't decide. It can contain a
 * part of the DesignPattern, which would be missing. Errors in the DesignPattern itself are checked
 * after its params are bound.
 */
export function hiddenPartProblems(
  errors: readonly CueProblem[],
  use: Pick<Adapter, "pattern" | "where">,
): readonly Problem[] {
  return errors
    .filter(({ path }) => path[0] !== "DesignPattern")
    .map((error) => stageProblem(error, "", use));
}

function isReportedLater(adapter: CueValue, cue: Cue): boolean {
  const checked = ["resources", "defer", "health", "group"];
  return cue.fields(adapter).some((field) => checked.includes(field.name) && isBroken(field));
}

/**
 * Returns a test for an error about `pipelineParameters`. CUE names only the field that it misses,
 * not the struct. Therefore, all optional fields of `pipelineParameters` are declared without a
 * value: the errors of other conditions stay the same, and errors about them then name their
 * declaration.
 */
function pipelineConditions(
  adapter: CueValue,
  own: readonly CueProblem[],
  cue: Cue,
): (error: CueProblem) => boolean {
  const declared = cue.lookup(adapter, ["pipelineParameters"]);
  if (declared === undefined) return () => false;
  const optional = cue.fields(declared).filter((field) => field.optional || field.required);
  const filled = optional.reduce(
    (value, { name, value: type }) => cue.fill(value, ["pipelineParameters", name], type),
    adapter,
  );
  const all = cue.lookup(filled, ["pipelineParameters"]) ?? declared;
  const places = new Set(cue.validate(all, true).flatMap(({ positions }) => positions.map(keyOf)));
  const errors = filled === adapter ? own : cue.fault(filled).own;
  const others = errors.filter(({ positions }) => !positions.some((at) => places.has(keyOf(at))));
  const keys = new Set(others.map(errorKey));
  return (error) => !keys.has(errorKey(error));
}

function errorKey({ message, positions }: CueProblem): string {
  return [message, ...positions.map(keyOf)].join(" ");
}

function keyOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

function stageProblem(
  error: CueProblem,
  place: string,
  use: Pick<Adapter, "pattern" | "where">,
): Problem {
  const shown = { ...error, message: withoutValues(error.message) };
  return {
    ...explainProblem(
      shown,
      { name: `Adapter "${use.pattern}"`, field: place },
      {
        code: "evaluation-failed",
        fact: "can't be evaluated",
        fix: "Set the parameters that the condition or loop reads",
        otherwise: ["correct the adapter"],
      },
    ),
    where: distinctPlaces(...error.positions, use.where),
  };
}

/**
 * Rejects a required field (`name!: …`) without a value, as CUE does. `subject` starts the message,
 * such as `Adapter "acme.example/web"`.
 */
export function unsetFieldProblem(
  subject: string,
  { name }: Pick<CueField, "name">,
): UnplacedProblem {
  return {
    code: "incomplete-value",
    what: `${subject}: required field "${name}" isn't set`,
    fix: `Write "${name}:" instead of "${name}!:" if this is its value`,
    otherwise: ["set it"],
  };
}
