import { stages } from "../../model/compilation.ts";
import type { Problem } from "../../model/problems/problem.ts";
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

/**
 * Checks the conditions in the DesignPattern itself, such as one around `resources`.
 * If the adapter also has pipelines, the condition can concern only those and lack its params. The
 * caller then treats the problem as a warning.
 */
export function conditionProblems(adapter: CueValue, use: Adapter, cue: Cue): Problem[] {
  return cue.fault(adapter).map((error) => stageProblem(error, "DesignPattern", use));
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
