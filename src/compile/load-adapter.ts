import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import type { DesignPatternUse } from "../model/sources/config.ts";
import type { ParameterSource } from "../model/sources/trace.ts";
import type { Cue, CueDefinition, CueField, CueValue, SourcedJson } from "../ports/cue.ts";
import { distinctPlaces } from "./positions.ts";
import { isStructuralCycle } from "./problems/explain-message.ts";
import { hasDefinitionPattern, loadProblems, suggestAdapter } from "./problems/load-problems.ts";
import { hiddenParams } from "./problems/quoting.ts";
import { hiddenPartProblems } from "./problems/stage-problems.ts";

/** A DesignPattern before its params are bound. */
export interface Adapter {
  /** The name in messages: the import path, or the place in `composites`. */
  readonly pattern: string;
  /** Undefined for an adapter that is defined where it is used. */
  readonly definition: CueDefinition | undefined;
  readonly value: CueValue;
  readonly params: CueValue | undefined;
  /** The source of each param, for adapters that the config itself uses. */
  readonly sources: Readonly<Record<string, SourcedJson>>;
  /** The origin of each param, for the layout; undefined if no trace was requested. */
  readonly origins: Readonly<Record<string, ParameterSource>> | undefined;
  /** The names of params whose values must not appear in messages. */
  readonly hidden: ReadonlySet<string>;
  readonly group: string | undefined;
  /** The user of the adapter. A missing value is reported to the user who can fix it. */
  readonly usedBy: "config" | "adapter";
  readonly where: Position;
}

/** Loads the adapter that a designPattern of the config names, with its params as CUE values. */
export function loadAdapter(use: DesignPatternUse, cue: Cue): Result<Adapter> {
  const loaded = cue.load(use.pattern);
  if (!loaded.ok) return failed(loadProblems(loaded.errors, use, cue));
  const value = cue.lookup(loaded.value, ["DesignPattern"]);
  const { own, parts } = cue.fault(loaded.value);
  const fields = cue.fields(loaded.value);
  const { kind } = fields.find(({ name }) => name === "DesignPattern") ?? {};
  // A resource that contains such a cycle reports it with its place.
  const others = kind === "_|_" ? parts.filter((error) => !isStructuralCycle(error)) : parts;
  const hidden = hiddenPartProblems([...own, ...others], use);
  if (hidden.length > 0) return failed(hidden);
  if (value === undefined) return failed([noDesignPatternProblem(use, fields, cue)]);
  if (kind !== undefined && !/struct|_\|_/.test(kind)) {
    return failed([notAStructProblem(use, cue.position(value))]);
  }
  const sources = Object.fromEntries(
    use.params.map(({ name, value, where, places }) => [name, { value, where, places }]),
  );
  const params = use.params.length === 0 ? undefined : cue.struct(sources);
  return ok({
    pattern: use.pattern,
    definition: { package: use.pattern },
    value,
    params,
    sources,
    origins: Object.fromEntries(use.params.map((p) => [p.name, { at: p.where, from: p.from }])),
    hidden: hiddenParams(use),
    group: use.group,
    usedBy: "config",
    where: use.where,
  });
}

function noDesignPatternProblem(
  use: DesignPatternUse,
  fields: readonly CueField[],
  cue: Cue,
): Problem {
  const like = hasDefinitionPattern(use.pattern, cue)
    ? "#DesignPattern"
    : fields.find(({ name }) => name.toLowerCase() === "designpattern")?.name;
  return {
    code: "not-an-adapter",
    where: [use.where],
    what: `Package "${use.pattern}" isn't an adapter`,
    why: "It has no field DesignPattern",
    ...(like === undefined
      ? suggestAdapter(use.pattern, cue)
      : { fix: `Did you mean "DesignPattern" instead of "${like}"?` }),
  };
}

function notAStructProblem(use: DesignPatternUse, position: Position | undefined): Problem {
  return {
    code: "not-an-adapter",
    where: distinctPlaces(position, use.where),
    what: `DesignPattern of "${use.pattern}" isn't a struct`,
    fix: "Make it a struct with parameters and resources",
  };
}
