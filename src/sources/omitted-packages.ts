import { isGitModule } from "../config/lockfile/verify-module.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ModuleReference } from "../model/sources/config.ts";
import type { OmittedPath, SourceTree } from "../ports/git.ts";
import { overlaps } from "./omitted-problems.ts";

/** The codes of an adapter or a package that no module has. */
const importCodes: ReadonlySet<string> = new Set(["module-not-declared", "unknown-pattern"]);

/**
 * Returns the problems with those of the directories in local modules that have no packages for
 * CUE: links that lead nowhere or out of the module, and submodules. CUE only reports that no
 * module has the package.
 */
export async function withOmittedPackages(
  tree: Pick<SourceTree, "omitted">,
  modules: readonly ModuleReference[],
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  const local = modules.filter((module) => !isGitModule(module));
  if (local.length === 0 || !problems.some(({ code }) => importCodes.has(code))) return problems;
  const omitted = (await tree.omitted()).filter(({ path }) => !/\.\w+$/.test(path));
  return [...problems, ...local.flatMap((module) => packageProblems(module, omitted))];
}

function packageProblems(
  { source, where }: ModuleReference,
  omitted: readonly OmittedPath[],
): readonly Problem[] {
  const folder = source.path;
  return omitted
    .filter(({ path, directory }) => {
      const isInModule = directory !== undefined && overlaps(folder, directory);
      return overlaps(folder, path) && !isInModule;
    })
    .map(({ problem, directory }) => ({
      ...problem,
      ...(directory === undefined
        ? {}
        : { why: "It leads out of the module, and CUE stays in it" }),
      where: [where],
    }));
}
