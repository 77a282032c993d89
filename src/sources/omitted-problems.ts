import { minimatch } from "minimatch";
import type { Position, Problem } from "../model/problems/problem.ts";
import type { OmittedPath, SourceTree } from "../ports/git.ts";

/** The options of globs in a config. */
export const globOptions = { nonegate: true, nocomment: true };

/**
 * Returns the errors for the paths that an input needs and that the tree leaves out. If qvs left
 * them out too, the plan would delete their objects. `fixLink` returns the fix for a link to a
 * directory.
 */
export function omittedProblems(
  omitted: readonly OmittedPath[],
  needs: (path: string) => boolean,
  where: Position,
  fixLink?: (directory: string) => string,
): readonly Problem[] {
  return omitted
    .filter(({ path }) => needs(path))
    .map(({ problem, directory }) => ({
      ...problem,
      ...(directory === undefined || fixLink === undefined ? {} : { fix: fixLink(directory) }),
      where: [where],
    }));
}

/** Returns the end of a path through links. */
export async function endOf(tree: SourceTree, path: string): Promise<string> {
  return path === "" ? "" : ((await tree.linkedPaths(path)).at(-1) ?? path);
}

/** Reports whether a path is in a directory, or the directory in the path. */
export function overlaps(directory: string, path: string): boolean {
  const [one, other] = [directory, path].map((each) => (each === "" ? "" : `${each}/`));
  return (one ?? "").startsWith(other ?? "") || (other ?? "").startsWith(one ?? "");
}

/** Reports whether a glob matches a path, or can match files below it. */
export function reaches(glob: string, path: string): boolean {
  return minimatch(path, glob, { ...globOptions, partial: true });
}
