import { fieldPath } from "../../model/fields/field-path.ts";
import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { closest } from "../../model/text/closest.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../../ports/cue.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { distinctPlaces } from "../distinct-places.ts";
import type { Adapter } from "../load-adapter.ts";
import { argumentPlaces } from "../param-places.ts";
import { describeMismatch } from "./describe-mismatch.ts";
import { adapterQuoting, isQuotable, type Quoting } from "./quoting.ts";

export interface WrongParameter {
  readonly name: string;
  readonly problem: Problem;
}

/**
 * Returns one problem for each value that violates its declaration. CUE can report several
 * disjuncts for one value.
 */
export function wrongParameters(
  adapter: Adapter,
  bound: CueValue,
  declared: readonly CueField[],
  given: readonly CueField[],
  cue: Cue,
): readonly WrongParameter[] {
  const parameters = cue.lookup(bound, ["parameters"]);
  const errors = parameters === undefined ? [] : cue.validate(parameters, false);
  const names = new Set([...declared, ...given].map((field) => field.name));
  const byPath = Map.groupBy(errors, ({ path }) => JSON.stringify(pathBelow(path, names)));
  const wrong = new Set(errors.map(({ path }) => pathBelow(path, names)[0] ?? ""));
  const quoting = errors.length === 0 ? undefined : adapterQuoting(adapter, wrong, cue);
  return [...byPath].map(([key, group]) => {
    const path: readonly string[] = JSON.parse(key);
    const [name = ""] = path;
    const declaration = declared.find((field) => field.name === name);
    const field = given.find((each) => each.name === name);
    const written = argumentPlaces(fieldOf(adapter.sources, name), path.slice(1));
    const source = written.length > 0 ? written : [field?.position ?? adapter.where];
    const positions = group.slice(0, 1).flatMap((error) => error.positions);
    const value = field === undefined ? undefined : valueBelow(field.value, path.slice(1), cue);
    const mismatch = describeMismatch(group, value, mayQuote(path, group, adapter, quoting));
    const problem: Problem = {
      code: "invalid-parameter",
      where: distinctPlaces(...source, declaration?.position, ...positions),
      ...mismatch,
      what: `Parameter "${fieldPath(path)}" of "${adapter.pattern}" ${mismatch.what}`,
      ...parameterFixes(path, group),
    };
    return { name, problem };
  });
}

function parameterFixes(
  path: readonly string[],
  [first]: readonly CueProblem[],
): Pick<Problem, "fix" | "otherwise"> {
  if (first?.message !== "field not allowed") {
    return { fix: "Change the value", otherwise: ["change the declaration in the adapter"] };
  }
  const name = path.at(-1) ?? "";
  const meant = closest(
    name,
    (first.known ?? []).filter((each) => each !== name),
  );
  return meant === undefined
    ? { fix: "Remove it", otherwise: ["correct its name"] }
    : { fix: `Did you mean "${meant}"?` };
}

function mayQuote(
  path: readonly string[],
  errors: readonly CueProblem[],
  adapter: Adapter,
  quoting: Quoting | undefined,
): boolean {
  if (quoting === undefined || adapter.hidden.has(path[0] ?? "")) return false;
  if (path.some(isSensitiveName)) return false;
  return errors.every(({ message }) => isQuotable(message, quoting));
}

/** Returns the part of an error's path that starts at a parameter. */
function pathBelow(path: CueProblem["path"], names: ReadonlySet<string>): readonly string[] {
  const start = path.findIndex((step) => names.has(step));
  return start < 0 ? path.slice(-1) : path.slice(start);
}

function valueBelow(value: CueValue, path: readonly string[], cue: Cue): Json | undefined {
  const exported = cue.export(value);
  let current: Json | undefined = exported.ok ? exported.value : undefined;
  for (const step of path) {
    if (isList(current)) current = current[Number(step)];
    else current = isObject(current) ? fieldOf(current, step) : undefined;
  }
  return current;
}
