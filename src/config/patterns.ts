import { closest } from "../model/closest.ts";
import type { Problem } from "../model/problem.ts";
import type { Text } from "./shape.ts";

interface WrittenConfig {
  readonly modules?: readonly WrittenModule[] | undefined;
  readonly designPatterns: readonly { readonly pattern: Text }[];
}

interface WrittenModule {
  readonly name: Text;
  readonly revision: Text | undefined;
}

/** A CUE import path: host-like first element, an optional `:package` at the end. */
const importPath = /^[\w-]+(\.[\w-]+)+(\/(?!\.\.?(?:[/:]|$))[\w.@~+-]+)*(:[A-Za-z_]\w*)?$/;

/** Every pattern must be an import path that one of the modules can hold. */
export function reportPatterns(config: WrittenConfig, problems: Problem[]): void {
  const modules = config.modules ?? [];
  for (const { pattern } of config.designPatterns) {
    const problem = importPath.test(pattern.value)
      ? homeProblem(pattern.value, modules)
      : notAPath(pattern.value);
    if (problem !== undefined) problems.push({ where: [pattern.where], ...problem });
  }
}

function notAPath(pattern: string): Omit<Problem, "where"> {
  return {
    what: `"${pattern}" is not the import path of an adapter`,
    fix: 'Write the module path and the folder, as in "acme.example/adapters/kubernetes/deployment:simple"',
  };
}

function homeProblem(
  pattern: string,
  modules: readonly WrittenModule[],
): Omit<Problem, "where"> | undefined {
  if (modules.length === 0) {
    const fix = "List the module that holds it under modules, with its revision";
    return { what: `No module is declared that could hold the adapter "${pattern}"`, fix };
  }
  // A repository's name says nothing about the module path in it (spec §1): only its module.cue does.
  if (modules.some(({ revision }) => revision !== undefined)) return undefined;
  const paths = modules.map(({ name }) => name.value.replace(/@v\d+$/, ""));
  const path = pattern.replace(/:\w+$/, "").replace(/@v\d+(?=\/|$)/, "");
  if (paths.some((home) => path === home || path.startsWith(`${home}/`))) return undefined;
  const meant = closest(path, candidates(path, paths));
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return {
    what: `The adapter "${pattern}" is in none of the modules`,
    fix: `${hint}Its path must begin with the name of a module: ${paths.join(", ")}`,
  };
}

/** The pattern as it would read in each module, for a mistyped module path. */
function candidates(path: string, modules: readonly string[]): readonly string[] {
  const names = path.split("/");
  return modules.map((home) => [home, ...names.slice(home.split("/").length)].join("/"));
}
