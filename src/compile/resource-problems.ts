import type { Stage } from "../model/compilation.ts";
import type { Problem } from "../model/problem.ts";
import type { CueProblem } from "../ports.ts";
import { fieldPath } from "./field-path.ts";
import { places } from "./places.ts";

/**
 * Why a resource has no manifest: one problem for each field, because CUE reports a conflict with `int | *1` once for
 * the type and once for the default. The error that leads to the user's own file comes first.
 */
export function resourceProblems(
  errors: readonly CueProblem[],
  stage: Stage,
  id: string,
): readonly Problem[] {
  const byField = Map.groupBy(errors, ({ path }) => fieldPath(pathWithin(path, stage)));
  return [...byField].map(([field, [first]]) => {
    const { message, positions } = first as CueProblem;
    return { where: places(...positions), ...explain(message, `${stage}/${id}`, field) };
  });
}

/** `…resources.app.ID.FIELD…` from FIELD on; the id in it lacks the group that the resource is in. */
function pathWithin(path: CueProblem["path"], stage: Stage): readonly string[] {
  const start = path.findIndex(
    (step, index) => step === stage && ["resources", "defer"].includes(path[index - 1] ?? ""),
  );
  return start < 0 ? path : path.slice(start + 2);
}

function explain(message: string, resource: string, field: string): Pick<Problem, "what" | "fix"> {
  const place = field === "" ? "" : ` at ${field}`;
  const conflict = /^conflicting values (.*?)( \(mismatched types .*\))?$/s.exec(message);
  if (conflict !== null) {
    const what = `Resource ${resource} is given two values${place}: ${conflict[1]}`;
    const fix = "Make them agree: change the param that one of them comes from, or the adapter";
    return { what, fix };
  }
  const kind = /^incomplete value (.*)$/s.exec(message)?.[1];
  if (kind !== undefined) {
    const what = `Resource ${resource} is not complete: ${field} has no value (${kind})`;
    return { what, fix: "Give the param that it is made from, or set it in the adapter" };
  }
  const what = `Resource ${resource} cannot be evaluated${place}: ${message}`;
  return { what, fix: "Correct the adapter, or the param that this is made from" };
}
