import { didYouMean } from "../model/closest.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problem.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../ports.ts";
import type { Adapter } from "./load-adapter.ts";

export interface Bound {
  readonly value: CueValue;
  readonly warnings: readonly Problem[];
}

/**
 * Unifies an adapter's params with its `parameters` (spec §2.1). One problem for each parameter that is missing,
 * of another type or against a constraint; a warning for each param that the adapter does not declare.
 */
export function bindParameters(adapter: Adapter, cue: Cue): Result<Bound> {
  const declared = fieldsAt(adapter.value, ["parameters"], cue);
  const given = adapter.params === undefined ? [] : cue.fields(adapter.params);
  const value =
    adapter.params === undefined
      ? adapter.value
      : cue.fill(adapter.value, ["parameters"], adapter.params);
  const wrong = wrongParameters(adapter, value, declared, given, cue);
  const missing = missingParameters(adapter, value, given, cue);
  const warnings = undeclaredParameters(adapter, declared, given);
  return wrong.length + missing.length > 0
    ? failed([...wrong, ...missing].map((problem) => withHint(problem, warnings)))
    : ok({ value, warnings });
}

function fieldsAt(value: CueValue, path: readonly string[], cue: Cue): readonly CueField[] {
  const struct = cue.lookup(value, path);
  return struct === undefined ? [] : cue.fields(struct);
}

/** One problem per parameter, however many disjuncts CUE complains about. */
function wrongParameters(
  adapter: Adapter,
  bound: CueValue,
  declared: readonly CueField[],
  given: readonly CueField[],
  cue: Cue,
): Problem[] {
  const parameters = cue.lookup(bound, ["parameters"]);
  const errors = parameters === undefined ? [] : cue.validate(parameters, false);
  const byName = Map.groupBy(errors, (error) => nameIn(error, given, declared));
  return [...byName].map(([name, [first]]) =>
    wrongParameter(adapter, name, first as CueProblem, declared, given),
  );
}

function nameIn(error: CueProblem, ...fields: (readonly CueField[])[]): string {
  const names = new Set(fields.flat().map((field) => field.name));
  return error.path.find((step) => names.has(step)) ?? error.path.at(-1) ?? "";
}

function wrongParameter(
  adapter: Adapter,
  name: string,
  error: CueProblem,
  declared: readonly CueField[],
  given: readonly CueField[],
): Problem {
  const declaration = declared.find((field) => field.name === name);
  const wants = declaration === undefined ? "" : ` (the adapter wants ${declaration.kind})`;
  const source =
    adapter.sources[name]?.where ?? given.find((field) => field.name === name)?.position;
  return {
    where: places(source ?? adapter.where, ...error.positions, declaration?.position),
    what: `parameter "${name}" of "${adapter.pattern}": ${error.message}${wants}`,
    fix: `Give "${name}" a value that the adapter allows, or correct the adapter`,
  };
}

function missingParameters(
  adapter: Adapter,
  bound: CueValue,
  given: readonly CueField[],
  cue: Cue,
): Problem[] {
  const names = new Set(given.map((field) => field.name));
  return fieldsAt(bound, ["parameters"], cue)
    .filter((field) => !field.optional && !field.concrete)
    .filter((field) => !names.has(field.name) || cue.validate(field.value, true).length > 0)
    .map((field) => ({
      where: places(adapter.where, field.position),
      what: names.has(field.name)
        ? `parameter "${field.name}" of "${adapter.pattern}" is incomplete: ${cue.validate(field.value, true)[0]?.message}`
        : `parameter "${field.name}" of "${adapter.pattern}" is missing (${field.kind})`,
      fix: `Add "${field.name}" to the params of this pattern`,
    }));
}

function undeclaredParameters(
  adapter: Adapter,
  declared: readonly CueField[],
  given: readonly CueField[],
): Problem[] {
  const names = declared.map((field) => field.name);
  return given
    .filter((field) => !names.includes(field.name))
    .map((field) => ({
      where: places(adapter.sources[field.name]?.where ?? field.position ?? adapter.where),
      what: `"${adapter.pattern}" declares no parameter "${field.name}"${didYouMean(field.name, names)}`,
      fix: `Remove "${field.name}", or give it the name that the adapter declares`,
    }));
}

/** A missing parameter is often a misspelt one: the undeclared param nearest to it is named beside it. */
function withHint(problem: Problem, undeclared: readonly Problem[]): Problem {
  const name = /^parameter "([^"]+)" .* is missing/.exec(problem.what)?.[1];
  const near = undeclared.find(
    (other) => name !== undefined && other.what.includes(`did you mean "${name}"`),
  );
  return near === undefined
    ? problem
    : {
        ...problem,
        where: places(...near.where, ...problem.where),
        what: `${problem.what}; ${near.what}`,
      };
}

function places(...positions: readonly (Position | undefined)[]): Position[] {
  const seen = new Map<string, Position>();
  for (const p of positions) if (p !== undefined) seen.set(`${p.file}:${p.line}:${p.column}`, p);
  return [...seen.values()];
}
