import type { Stage } from "../model/compilation.ts";
import { looksSecret } from "../model/looks-secret.ts";
import type { Problem } from "../model/problem.ts";
import type { CueProblem } from "../ports.ts";
import { fieldPath } from "./field-path.ts";
import { places } from "./places.ts";
import { isQuotable, type Quoting, withoutSecrets } from "./quoting.ts";
import { mismatchedTypes, withoutValues } from "./without-values.ts";

export interface FaultyResource {
  readonly stage: Stage;
  readonly id: string;
  readonly isSecret: boolean;
}

/**
 * Why a resource has no manifest: one problem for each field, because CUE reports a conflict with `int | *1` once for
 * the type and once for the default. The error that leads to the user's own file comes first. Of a Secret no value
 * is told.
 */
export function resourceProblems(
  errors: readonly CueProblem[],
  { stage, id, isSecret }: FaultyResource,
  quoting: Quoting,
): readonly Problem[] {
  const byField = Map.groupBy(errors, ({ path }) =>
    fieldPath(withoutSecrets(pathWithin(path, stage), quoting)),
  );
  return [...byField].map(([field, [first]]) => {
    const error = first as CueProblem;
    const said =
      !isSecret && mayQuote(error, quoting)
        ? explain(error.message, `${stage}/${id}`, field)
        : explainHidden(error.message, `${stage}/${id}`, field);
    return { where: places(...error.positions), ...said };
  });
}

/** `…resources.app.ID.FIELD…` from FIELD on; the id in it lacks the group that the resource is in. */
function pathWithin(path: CueProblem["path"], stage: Stage): readonly string[] {
  const start = path.findIndex(
    (step, index) => step === stage && ["resources", "defer"].includes(path[index - 1] ?? ""),
  );
  return start < 0 ? path : path.slice(start + 2);
}

function mayQuote({ path, message }: CueProblem, quoting: Quoting): boolean {
  if (path.some(looksSecret) || message.length > longestQuotable) return false;
  return isQuotable(message, quoting) && quotedValues(message).every((each) => each.length <= 62);
}

/** The message itself is an adapter's to make as long as it likes, and what follows takes the square of it. */
const longestQuotable = 2_000;

/** The texts in a message, with their quotation marks. Maps and lists are long, or are made of them. */
function quotedValues(message: string): readonly string[] {
  return message.match(/"(?:[^"\\]|\\.)*"|\{.*\}/gs) ?? [];
}

type Explanation = Pick<Problem, "what" | "fix">;

const toAgree = "Make them agree: change the param that one of them comes from, or the adapter";
const toComplete = "Give the param that it is made from, or set it in the adapter";
const toCorrect = "Correct the adapter, or the param that this is made from";

function explain(message: string, resource: string, field: string): Explanation {
  const place = placeOf(field);
  const conflict = /^conflicting values (.*?)( \(mismatched types .*\))?$/s.exec(message);
  if (conflict !== null) {
    const what = `Resource ${resource} is given two values${place}: ${conflict[1]}`;
    return { what, fix: toAgree };
  }
  const kind = /^incomplete value (.*)$/s.exec(message)?.[1];
  if (kind !== undefined) {
    const what = `Resource ${resource} is not complete: ${field} has no value (${kind})`;
    return { what, fix: toComplete };
  }
  const what = `Resource ${resource} cannot be evaluated${place}: ${message}`;
  return { what, fix: toCorrect };
}

/** The same in fixed words, with types in the place of values. */
function explainHidden(message: string, resource: string, field: string): Explanation {
  const place = placeOf(field);
  if (message.startsWith("conflicting values ")) {
    const types = mismatchedTypes(message);
    const kinds = types === undefined ? "" : `, of the types ${types}`;
    const what = `Resource ${resource} is given two values${place}: (hidden)${kinds}`;
    return { what, fix: toAgree };
  }
  const said = withoutValues(message);
  if (message.startsWith("incomplete value ")) {
    const kind = /^incomplete value (.*)$/.exec(said)?.[1] ?? "hidden";
    const what = `Resource ${resource} is not complete: ${field} has no value (${kind})`;
    return { what, fix: toComplete };
  }
  return { what: `Resource ${resource} cannot be evaluated${place}: ${said}`, fix: toCorrect };
}

function placeOf(field: string): string {
  return field === "" ? "" : ` at ${field}`;
}
