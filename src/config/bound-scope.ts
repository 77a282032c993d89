import type { Json } from "../model/json.ts";
import type { Position, Problem, UnplacedProblem } from "../model/problems/problem.ts";
import type { ParamDeclaration } from "../model/sources/config.ts";
import type { YamlNode } from "../model/sources/yaml-node.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import type { GivenParam } from "./parse-params.ts";
import type { Scope } from "./substitute.ts";

/** The maximum size of inserted values. A short config can repeat a long value many times. */
const maxInserted = 16 * 1024 * 1024;

/** The maximum number of problems. The search for a similar name takes time for each problem. */
const maxProblems = 100;

/** The bound values. It reports every reference that has no value. */
export class BoundScope implements Scope {
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
