import type {
  BoundParam,
  Config,
  DesignPatternUse,
  ObjectInput,
  ParamDeclaration,
} from "../model/config.ts";
import type { Json } from "../model/json.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  type UnplacedProblem,
} from "../model/problems/problem.ts";
import { suggest } from "../model/problems/suggest.ts";
import { closest } from "../model/text/closest.ts";
import type { YamlNode } from "../model/yaml-node.ts";
import { bindChecks } from "./checks/bind-checks.ts";
import { identify, substituteInput } from "./inputs/bind-input.ts";
import { createScopeCheck } from "./inputs/object-scope.ts";
import type { ReadInput } from "./inputs/parsed-input.ts";
import { reportRepeated } from "./inputs/repeated-objects.ts";
import type { ParsedConfig, ParsedPattern } from "./parse-config.ts";
import type { GivenParam } from "./parse-params.ts";
import { readTyped } from "./read-typed.ts";
import { type Scope, substitute } from "./substitute.ts";
import { entryPlace } from "./value-places.ts";

/** The maximum size of inserted values. A short config can repeat a long value many times. */
const maxInserted = 16 * 1024 * 1024;

/** The maximum number of problems. The search for a similar name takes time for each problem. */
const maxProblems = 100;

/** The bound values. It reports every reference that has no value. */
class BoundScope implements Scope {
  readonly problems: Problem[] = [];
  readonly #declared: ReadonlySet<string>;
  readonly #given: ReadonlyMap<string, GivenParam>;
  readonly #bound: ReadonlyMap<string, { readonly value: Json; readonly size: number }>;
  #remaining = maxInserted;

  constructor(
    declared: readonly ParamDeclaration[],
    given: readonly GivenParam[],
    bound: ReadonlyMap<string, Json>,
  ) {
    this.#declared = new Set(declared.map(({ name }) => name));
    this.#given = new Map(given.map((param) => [param.name, param]));
    this.#bound = new Map(
      [...bound].map(([name, value]) => [name, { value, size: JSON.stringify(value).length }]),
    );
  }

  lookup(name: string, where: Position): Json | undefined {
    const found = this.#bound.get(name);
    if (found !== undefined) return this.#useUp(found.size, where) ? found.value : undefined;
    if (this.problems.length >= maxProblems) return undefined;
    if (!this.#declared.has(name)) {
      this.report({ where: [where], ...undeclaredProblem(name, this.#declared) });
    } else if (!this.#given.has(name)) {
      this.report({
        where: [where],
        ...missingValueProblem(name, this.#declared, [...this.#given.keys()]),
      });
    }
    // A value with the wrong type is reported where it is bound.
    return undefined;
  }

  given(name: string): YamlNode | undefined {
    const param = this.#given.get(name);
    return param?.origin === "file" ? param.value : undefined;
  }

  declares(name: string): boolean {
    return this.#declared.has(name);
  }

  report(problem: Problem): void {
    if (this.problems.length < maxProblems) this.problems.push(problem);
  }

  #useUp(size: number, where: Position): boolean {
    const wasWithinLimit = this.#remaining >= 0;
    this.#remaining -= size;
    if (wasWithinLimit && this.#remaining < 0)
      this.report({ where: [where], ...insertLimitProblem });
    return this.#remaining >= 0;
  }
}

const insertLimitProblem: UnplacedProblem = {
  code: "input-too-large",
  what: `The parameters insert more than ${maxInserted / 1024 / 1024} MiB into this config`,
  fix: "Use smaller values",
  otherwise: ["use the values less often"],
};

function undeclaredProblem(name: string, declared: ReadonlySet<string>): UnplacedProblem {
  const meant = closest(name, declared);
  return {
    code: "unknown-parameter",
    what: `Parameter "${name}" isn't declared`,
    ...suggest(
      meant === undefined ? undefined : `$(params.${meant})`,
      `Declare "${name}" under params`,
      `write $$(params.${name}) for the literal string`,
    ),
  };
}

function missingValueProblem(
  name: string,
  declared: ReadonlySet<string>,
  given: readonly string[],
): UnplacedProblem {
  const spare = given.filter((each) => !declared.has(each));
  const meant = closest(name, spare);
  return {
    code: "missing-parameter",
    what: `Parameter "${name}" has no value`,
    ...(meant === undefined ? {} : { why: `A value is given for the undeclared name "${meant}"` }),
    ...(meant === undefined
      ? { fix: `Set it in a parameter file or with --param ${name}=…` }
      : {
          fix: `Did you mean "${name}" instead of "${meant}"?`,
          otherwise: [`set it in a parameter file or with --param ${name}=…`],
        }),
    inputs: [`param: ${name}=…`],
  };
}

/**
 * Returns the config with `$(params.…)` replaced by the given values. If a name is given twice, the
 * later value counts. `read` contains the objects of the entries that name files.
 */
export function bindConfig(
  parsed: ParsedConfig,
  given: readonly GivenParam[],
  read: readonly ReadInput[] = [],
): Result<Config> {
  const values = bindParams(parsed.params, given);
  const scope = new BoundScope(parsed.params, given, values.ok ? values.value : new Map());
  const { file, params, modules, health } = parsed;
  const inline = inlineNames(given);
  const designPatterns = parsed.designPatterns.map((use) => bindPattern(use, scope, inline));
  const inputs = bindInputs(read, scope, inline);
  const checks = bindChecks(parsed.checks ?? [], scope);
  const problems = [...(values.ok ? [] : values.problems), ...scope.problems];
  if (problems.length > 0) return failed(problems);
  return ok({
    ...{ file, params, modules, designPatterns },
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(checks.length === 0 ? {} : { checks }),
    ...(health === undefined ? {} : { health }),
  });
}

/** Returns the parameters whose last value came from the command line. */
function inlineNames(given: readonly GivenParam[]): ReadonlySet<string> {
  const last = new Map(given.map(({ name, origin }) => [name, origin]));
  return new Set([...last].filter(([, origin]) => origin === "inline").map(([name]) => name));
}

function bindPattern(
  use: ParsedPattern,
  scope: Scope,
  inline: ReadonlySet<string>,
): DesignPatternUse {
  const entries = use.params?.entries ?? [];
  const params = entries.map((entry): BoundParam => {
    const { name, value } = entry;
    const where = entryPlace(entry);
    const bound = { name, where, ...substitute(value, scope, where) };
    return bound.from.some((each) => inline.has(each)) ? { ...bound, inline: true } : bound;
  });
  const group = use.group === undefined ? undefined : bindName("group", use.group, scope);
  return { pattern: use.pattern, group, params, where: use.where };
}

/** Returns the entries with files, with complete objects. It reports objects declared twice. */
function bindInputs(
  read: readonly ReadInput[],
  scope: Scope,
  inline: ReadonlySet<string>,
): readonly ObjectInput[] {
  const named = (key: string, node: YamlNode) => bindName(key, node, scope);
  const all = read.map((each) => substituteInput(each, { scope, bindName: named, inline }));
  const isNamespaced = createScopeCheck(all.flatMap((e) => e.objects.map(({ object }) => object)));
  const inputs = all.map((each) => identify(each, isNamespaced));
  const problems: Problem[] = [];
  reportRepeated(inputs, problems);
  for (const problem of problems) scope.report(problem);
  return inputs;
}

function bindName(key: string, node: YamlNode, scope: Scope): string {
  const { value, from } = substitute(node, scope);
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  // A reference without a value is already reported.
  if (value === null && from.length > 0) return "";
  scope.report({
    code: "wrong-type",
    where: [node.where],
    what: `"${key}" isn't a non-empty string`,
    fix: `Set "${key}" to a name`,
    otherwise: [`remove "${key}"`],
  });
  return "";
}

/**
 * Returns the value of every declared parameter that has one. The last value counts, and it must
 * have the declared type.
 * A params file can contain values for parameters of other configs. An undeclared inline value is
 * an error.
 */
export function bindParams(
  declared: readonly ParamDeclaration[],
  given: readonly GivenParam[],
): Result<ReadonlyMap<string, Json>> {
  const problems = given
    .filter(
      ({ name, origin }) => origin === "inline" && !declared.some((each) => each.name === name),
    )
    .map(({ name }) => undeclaredFlagProblem(name, declared));
  const values = new Map<string, Json>();
  const last = new Map(given.map((param) => [param.name, param]));
  for (const declaration of declared) {
    const param = last.get(declaration.name);
    if (param === undefined) continue;
    const value = readTyped(declaration, param);
    if (value.ok) values.set(declaration.name, value.value);
    else problems.push(...value.problems);
  }
  return problems.length > 0 ? failed(problems) : ok(values);
}

function undeclaredFlagProblem(name: string, declared: readonly ParamDeclaration[]): Problem {
  const names = declared.map((declaration) => declaration.name);
  return {
    code: "unknown-parameter",
    where: [],
    what: `"--param ${name}" sets a parameter that the config doesn't declare`,
    ...suggest(
      closest(name, names),
      `Declare "${name}" under params in the config`,
      `remove --param ${name}`,
    ),
    inputs: [`param: ${name}=…`],
  };
}
