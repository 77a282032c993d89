import type { Problem } from "../model/problems/problem.ts";
import { closest } from "../model/text/closest.ts";
import { resolveBeside } from "./repository-path.ts";
import type { Text } from "./yaml/shape.ts";

interface WrittenConfig {
  readonly modules?: readonly WrittenModule[] | undefined;
  readonly designPatterns: readonly { readonly pattern: Text }[];
}

interface WrittenModule {
  readonly name: Text;
  readonly revision: Text | undefined;
  readonly local: { readonly path: Text } | undefined;
}

/**
 * A CUE import path. The first element looks like a host, and a `:package` at the end is optional.
 */
const importPath = /^[\w-]+(\.[\w-]+)+(\/(?!\.\.?(?:[/:]|$))[\w.@~+-]+)*(:[A-Za-z_]\w*)?$/;

/** Checks that every pattern is an import path that one of the modules can contain. */
export function reportPatterns(file: string, config: WrittenConfig, problems: Problem[]): void {
  const modules = config.modules ?? [];
  for (const { pattern } of config.designPatterns) {
    const problem = importPath.test(pattern.value)
      ? (versionProblem(pattern.value) ?? homeProblem(pattern.value, modules))
      : notAPath(file, pattern.value, modules);
    if (problem !== undefined) problems.push({ where: [pattern.where], ...problem });
  }
}

function notAPath(
  file: string,
  pattern: string,
  modules: readonly WrittenModule[],
): Omit<Problem, "where"> {
  const meant = asImportPath(file, pattern.replaceAll("\\", "/"), modules);
  return {
    code: "unknown-pattern",
    what: `"${pattern}" is not the import path of an adapter`,
    fix:
      meant === undefined
        ? 'Write the module path and the folder, as in "acme.example/adapters/kubernetes/deployment:simple"'
        : `Did you mean "${meant}"?`,
  };
}

/**
 * Returns the import path for a pattern with backslashes, or for a file path into a local module.
 */
function asImportPath(
  file: string,
  pattern: string,
  modules: readonly WrittenModule[],
): string | undefined {
  if (importPath.test(pattern)) return pattern;
  const target = pattern.startsWith(".") ? resolveBeside(file, pattern) : pattern;
  for (const { name, local } of modules) {
    const home = local === undefined ? undefined : resolveBeside(file, local.path.value);
    if (target === undefined || home === undefined) continue;
    if (target.startsWith(`${home}/`)) return name.value + target.slice(home.length);
  }
  return undefined;
}

/**
 * Reports a version in an import path. CUE accepts only major versions. qvs would ignore any other
 * version and deploy a different one than the config names.
 */
function versionProblem(pattern: string): Omit<Problem, "where"> | undefined {
  const version = /@[^/:]*/.exec(pattern)?.[0];
  if (version === undefined || /^@v\d+$/.test(version)) return undefined;
  return {
    code: "unknown-pattern",
    what: `The adapter's path "${pattern}" names a version, which only its module can`,
    fix: `Write "${pattern.replace(version, "")}" here, and the version as the revision of the module`,
  };
}

function homeProblem(
  pattern: string,
  modules: readonly WrittenModule[],
): Omit<Problem, "where"> | undefined {
  if (modules.length === 0) {
    const fix = "List the module that holds it under modules, with its revision";
    return {
      code: "module-not-declared",
      what: `No module is declared that could hold the adapter "${pattern}"`,
      fix,
    };
  }
  // The name of a repository doesn't determine the module path
  // (docs/reference/qvs-yaml.md#modules); only its module.cue does.
  if (modules.some(({ revision }) => revision !== undefined)) return undefined;
  const paths = modules.map(({ name }) => name.value.replace(/@v\d+$/, ""));
  const path = pattern.replace(/:\w+$/, "").replace(/@v\d+(?=\/|$)/, "");
  if (paths.some((home) => path === home || path.startsWith(`${home}/`))) return undefined;
  const meant = closest(path, candidates(path, paths));
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return {
    code: "module-not-declared",
    what: `The adapter "${pattern}" is in none of the modules`,
    fix: `${hint}Its path must begin with the name of a module: ${paths.join(", ")}`,
  };
}

/** Returns the pattern with the path of each module, for a misspelled module path. */
function candidates(path: string, modules: readonly string[]): readonly string[] {
  const names = path.split("/");
  return modules.map((home) => [home, ...names.slice(home.split("/").length)].join("/"));
}
