import { stages } from "../../model/compilation.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { Cue, CueProblem, CueValue } from "../../ports/cue.ts";
import type { Adapter } from "../load-adapter.ts";
import { distinctPlaces } from "../positions.ts";
import { explainProblem } from "./explain-problem.ts";
import { withoutValues } from "./without-values.ts";

/**
 * Checks `resources` and `defer` as a whole. CUE omits the resources of a comprehension that it
 * can't resolve, without an error.
 * Single resources are checked later, after everything is unified.
 */
export function stageProblems(adapter: CueValue, use: Adapter, cue: Cue): Problem[] {
  return (["resources", "defer"] as const).flatMap((field) => [
    ...fieldProblems(adapter, field, use, cue),
    ...stages.flatMap((stage) => {
      const struct = cue.lookup(adapter, [field, stage]);
      if (struct === undefined) return [];
      const ids = new Set(cue.fields(struct).map((resource) => resource.name));
      return cue
        .validate(struct, true)
        .filter((error) => !error.path.some((step) => ids.has(step)))
        .map((error) => stageProblem(error, `${field}.${stage}`, use));
    }),
  ]);
}

function fieldProblems(adapter: CueValue, field: string, use: Adapter, cue: Cue): Problem[] {
  const struct = cue.lookup(adapter, [field]);
  const faults = struct === undefined ? [] : cue.fault(struct);
  return faults.map((error) => stageProblem(error, field, use));
}

/**
 * Checks a list of composites without elements. If CUE can't evaluate it, its resources would be
 * missing.
 */
export function compositesProblems(list: CueValue, use: Adapter, cue: Cue): Problem[] {
  const errors = [...cue.fault(list), ...cue.validate(list, false)];
  return errors.slice(0, 1).map((error) => stageProblem(error, "composites", use));
}

export interface ConditionProblems {
  readonly problems: readonly Problem[];
  /** Conditions about pipelines, which run without their parameters here. */
  readonly warnings: readonly Problem[];
}

/**
 * Checks the conditions in the DesignPattern itself, such as one around `resources`. The resources
 * of a condition without an answer would be missing, so it is an error unless it only reads
 * parameters of pipelines.
 */
export function conditionProblems(adapter: CueValue, use: Adapter, cue: Cue): ConditionProblems {
  const faults = cue.fault(adapter);
  const isOther = faults.length === 0 ? () => false : pipelineConditions(adapter, cue);
  const described = (some: readonly CueProblem[]) =>
    some.map((error) => stageProblem(error, "DesignPattern", use));
  return {
    problems: described(faults.filter((error) => !isOther(error))),
    warnings: described(faults.filter(isOther)),
  };
}

/**
 * Returns a test for an error about `pipelineParameters`. CUE names only the field that it misses:
 * by its position, or by its name if it has no value at all.
 */
function pipelineConditions(adapter: CueValue, cue: Cue): (error: CueProblem) => boolean {
  const own = cue.lookup(adapter, ["pipelineParameters"]);
  if (own === undefined) return () => false;
  const places = new Set(cue.validate(own, true).flatMap(({ positions }) => positions.map(keyOf)));
  const names = fieldNames(adapter, "pipelineParameters", cue);
  const others = fieldNames(adapter, "parameters", cue);
  return ({ message, positions }) => {
    const [, name] = absentField.exec(message) ?? [];
    if (name !== undefined) return names.has(name) && !others.has(name);
    return positions.some((each) => places.has(keyOf(each)));
  };
}

const absentField = /^(?:cannot reference optional|undefined) field: ([\w-]+)$/;

function keyOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

function fieldNames(adapter: CueValue, field: string, cue: Cue): ReadonlySet<string> {
  const struct = cue.lookup(adapter, [field]);
  return new Set(struct === undefined ? [] : cue.fields(struct).map(({ name }) => name));
}

function stageProblem(error: CueProblem, place: string, use: Adapter): Problem {
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
