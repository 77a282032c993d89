import { stages } from "../model/compilation.ts";
import type { Problem } from "../model/problem.ts";
import type { Cue, CueProblem, CueValue } from "../ports.ts";
import { inWords } from "./cue-words.ts";
import type { Adapter } from "./load-adapter.ts";
import { places } from "./places.ts";
import { withoutValues } from "./without-values.ts";

/**
 * What is wrong with `resources` and `defer` as a whole: a comprehension that can't be resolved leaves its resources
 * out without a trace, so it has to be asked for. Single resources are judged later, when everything is unified.
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

/** A list of composites that cannot be evaluated has no elements, and whatever they hold would be gone. */
export function compositesProblems(list: CueValue, use: Adapter, cue: Cue): Problem[] {
  const errors = [...cue.fault(list), ...cue.validate(list, false)];
  return errors.slice(0, 1).map((error) => stageProblem(error, "composites", use));
}

/**
 * A condition around `resources`, in the DesignPattern itself. Where an adapter holds pipelines too, the condition may
 * be about those, and nobody has given it what it needs: then it is only a warning.
 */
export function conditionProblems(adapter: CueValue, use: Adapter, cue: Cue): Problem[] {
  return cue.fault(adapter).map((error) => stageProblem(error, "DesignPattern", use));
}

function stageProblem(error: CueProblem, place: string, use: Adapter): Problem {
  const said = inWords(withoutValues(error.message), error.known);
  return {
    where: places(...error.positions, use.where),
    what: `${place} of "${use.pattern}" cannot be evaluated: ${said.what}`,
    fix: said.fix ?? "Give the params that the condition or loop reads, or correct the adapter",
  };
}
