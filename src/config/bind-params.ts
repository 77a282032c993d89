import { closest } from "../model/closest.ts";
import type { ParamDeclaration } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { GivenParam } from "./parse-params.ts";
import { readTyped } from "./read-typed.ts";

/**
 * The value of every declared parameter that was given one, the last one given. Values must have the declared type.
 * A params file may give more than one config declares; an inline value that fits nothing is a typing mistake.
 */
export function bindParams(
  declared: readonly ParamDeclaration[],
  given: readonly GivenParam[],
): Result<ReadonlyMap<string, Json>> {
  const problems = given
    .filter(({ name, by }) => by === "inline" && !declared.some((each) => each.name === name))
    .map(({ name }) => undeclared(name, declared));
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

function undeclared(name: string, declared: readonly ParamDeclaration[]): Problem {
  const names = declared.map((declaration) => declaration.name);
  const meant = closest(name, names);
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return {
    where: [],
    what: `The inline parameter "${name}" is not declared by the config`,
    fix: `${hint}Declare it under params, or leave it out`,
  };
}
