import type { Problem, UnplacedProblem } from "../model/problems/problem.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import { resolveRepositoryPath } from "./repository-path.ts";
import type { YamlText } from "./yaml/shape.ts";

interface WrittenConfig {
  readonly modules?: readonly PatternModule[] | undefined;
  readonly designPatterns: readonly { readonly pattern: YamlText }[];
}

interface PatternModule {
  readonly name: YamlText;
  readonly revision: YamlText | undefined;
  readonly local: { readonly path: YamlText } | undefined;
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
      ? (versionProblem(pattern.value) ?? moduleProblem(pattern.value, modules))
      : invalidPathProblem(file, pattern.value, modules);
    if (problem !== undefined) problems.push({ where: [pattern.where], ...problem });
  }
}

function invalidPathProblem(
  file: string,
  pattern: string,
  modules: readonly PatternModule[],
): UnplacedProblem {
  const meant = toImportPath(file, pattern.replaceAll("\\", "/"), modules);
  return {
    code: "unknown-pattern",
    what: `"${pattern}" isn't the import path of an adapter`,
    fix:
      meant === undefined
        ? 'Write the module path and the directory, for example "acme.example/adapters/kubernetes/deployment:simple"'
        : `Did you mean "${meant}"?`,
  };
}

/**
 * Returns the import path for a pattern with backslashes, or for a file path into a local module.
 */
function toImportPath(
  file: string,
  pattern: string,
  modules: readonly PatternModule[],
): string | undefined {
  if (importPath.test(pattern)) return pattern;
  const target = pattern.startsWith(".") ? resolveRepositoryPath(file, pattern) : pattern;
  for (const { name, local } of modules) {
    const home = local === undefined ? undefined : resolveRepositoryPath(file, local.path.value);
    if (target === undefined || home === undefined) continue;
    if (target.startsWith(`${home}/`)) return name.value + target.slice(home.length);
  }
  return undefined;
}

/**
 * Reports a version in an import path. CUE accepts only major versions. qvs would ignore any other
 * version and deploy a different one than the config names.
 */
function versionProblem(pattern: string): UnplacedProblem | undefined {
  const version = /@[^/:]*/.exec(pattern)?.[0];
  if (version === undefined || /^@v\d+$/.test(version)) return undefined;
  return {
    code: "unknown-pattern",
    what: `Pattern "${pattern}" contains a version`,
    why: "Only the entry of the module sets its version",
    fix: `Write "${pattern.replace(version, "")}" here, and set the version as the revision of the module`,
  };
}

function moduleProblem(
  pattern: string,
  modules: readonly PatternModule[],
): UnplacedProblem | undefined {
  if (modules.length === 0) {
    return {
      code: "module-not-declared",
      what: `Adapter "${pattern}" isn't in a declared module`,
      why: "The config declares no module",
      fix: "Add the module that contains the adapter under modules, with its revision",
    };
  }
  // The name of a repository doesn't determine the module path
  // (docs/reference/qvs-yaml.md#modules); only its module.cue does.
  if (modules.some(({ revision }) => revision !== undefined)) return undefined;
  const paths = modules.map(({ name }) => name.value.replace(/@v\d+$/, ""));
  const path = pattern.replace(/:\w+$/, "").replace(/@v\d+(?=\/|$)/, "");
  if (paths.some((home) => path === home || path.startsWith(`${home}/`))) return undefined;
  return {
    code: "module-not-declared",
    what: `Adapter "${pattern}" isn't in a declared module`,
    facts: [{ label: "modules", value: paths.join(", ") }],
    ...suggest(
      closest(path, candidatePaths(path, paths)),
      "Begin the path with the name of a module",
    ),
  };
}

/** Returns the pattern with the path of each module, for a misspelled module path. */
function candidatePaths(path: string, modules: readonly string[]): readonly string[] {
  const names = path.split("/");
  return modules.map((home) => [home, ...names.slice(home.split("/").length)].join("/"));
}
